/* One run while it goes on: the words and curves of the report, kept up to date. */
(() => {
  "use strict";
  const Paramedic = window.Paramedic;
  const main = document.getElementById("main");
  const state = document.getElementById("state");
  const shown = document.getElementById("shown");
  let mounted = null, shape = "";

  /** Which charts there are: with others, all are drawn anew. */
  const shapeOf = (view) => JSON.stringify([view.panels.map((one) => one.name), view.maps.map((one) => one.name)]);

  const show = ({ html, view }) => {
    const newer = document.createElement("template");
    newer.innerHTML = html; // made by templates of ours, which escape every word of the trace
    const same = mounted && shapeOf(view) === shape;
    if (mounted && !same) mounted.destroy();
    if (same) Paramedic.morph(shown, newer.content);
    else shown.replaceChildren(newer.content);
    if (same) mounted.update(view);
    else mounted = Paramedic.mountRun(shown, view);
    shape = shapeOf(view);
  };

  Paramedic.listen();
  const width = Math.max(Math.round(shown.clientWidth), 1);
  Paramedic.hear(`/run/${main.dataset.run}/events?width=${width}`, (message) => {
    state.dataset.state = message.state;
    if (state.textContent !== message.words) state.textContent = message.words;
    if (message.view) show(message);
    document.title = `${message.health === "unknown" ? message.state : message.verdict} · ${message.name}`;
    document.documentElement.dataset.step = message.view ? message.view.last_step : -1;
  });
})();
