/* The list of runs: a line each, changed in place, so that nothing jumps under the reader's eye.
   Everything from a trace goes into the page as text, never as markup. */
(() => {
  "use strict";
  const Paramedic = window.Paramedic;
  const list = document.getElementById("runs");
  const nothing = document.getElementById("nothing");
  const filter = document.getElementById("filter");
  const lines = new Map();
  let newest = [];

  function element(kind, name, text) {
    const made = document.createElement(kind);
    if (name) made.className = name;
    if (text) made.textContent = text;
    return made;
  }

  function newLine(run) {
    const item = element("li", "line");
    const link = element("a");
    link.href = `/run/${encodeURIComponent(run.id)}`;
    const parts = { item, link };
    for (const name of ["health", "name", "cause", "curve", "step", "loss", "state"]) {
      parts[name] = element("span", name);
      link.append(parts[name]);
    }
    item.append(link);
    return parts;
  }

  function ago(seconds) {
    if (seconds < 60) return "just now";
    const units = [[86400, "day"], [3600, "hour"], [60, "min"]];
    const [length, unit] = units.find(([one]) => seconds >= one);
    const count = Math.floor(seconds / length);
    return `${count} ${unit}${count === 1 || unit === "min" ? "" : "s"} ago`;
  }

  function stateWords(run) {
    const age = Date.now() / 1000 - run.changed;
    if (run.state === "running") return "running";
    if (run.state === "ended") return `ended ${ago(age)}`;
    if (run.state === "silent") return `no news for ${ago(age).replace(" ago", "")}`;
    return run.words;
  }

  /** Of heights from 0 to 99. */
  function sparkline(heights) {
    if (heights.filter((one) => one !== null).length < 2) return null;
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    picture.setAttribute("viewBox", "0 0 100 24");
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(space, "polyline");
    const points = heights.map((one, place) => {
      const x = (100 * place) / (heights.length - 1);
      const y = one === null ? null : 22 - (20 * one) / 99;
      return y === null ? null : `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    line.setAttribute("points", points.filter((one) => one !== null).join(" "));
    picture.append(line);
    return picture;
  }

  function setText(part, text) {
    if (part.textContent !== text) part.textContent = text;
  }

  function fill(line, run) {
    const known = ["running", "ended", "silent"].includes(run.state);
    line.item.dataset.health = known ? run.health : "unknown";
    line.item.dataset.state = run.state;
    setText(line.health, known ? run.verdict.charAt(0).toUpperCase() + run.verdict.slice(1) : { empty: "Waiting", damaged: "Unreadable", unread: "…" }[run.state] || "");
    setText(line.name, run.name);
    setText(line.cause, run.health === "healthy" ? "" : run.root);
    setText(line.step, run.step >= 0 ? `step ${(run.step + 1).toLocaleString("en")}` : "");
    setText(line.loss, run.loss === null ? "" : `loss ${Number(run.loss.toPrecision(4))}`);
    setText(line.state, stateWords(run));
    const drawn = JSON.stringify(run.curve);
    if (line.drawn !== drawn) {
      line.drawn = drawn;
      const picture = sparkline(run.curve);
      line.curve.replaceChildren(...(picture ? [picture] : []));
    }
  }

  function order(wanted) {
    // Only what is out of place is moved: moving an element takes the focus from it.
    let before = list.firstElementChild;
    for (const item of wanted) {
      if (item === before) before = before.nextElementSibling;
      else list.insertBefore(item, before);
    }
    while (before) {
      const next = before.nextElementSibling;
      before.remove();
      before = next;
    }
  }

  function show() {
    const text = filter.value.trim().toLowerCase();
    const fits = (run) => !text || `${run.name} ${run.verdict} ${run.root} ${run.state}`.toLowerCase().includes(text);
    const shown = newest.filter(fits);
    const there = new Set(newest.map((run) => run.id));
    for (const id of [...lines.keys()]) if (!there.has(id)) lines.delete(id);
    for (const run of newest) {
      if (!lines.has(run.id)) lines.set(run.id, newLine(run));
      fill(lines.get(run.id), run);
    }
    order(shown.map((run) => lines.get(run.id).item));
    nothing.hidden = shown.length > 0;
    document.getElementById("nothing-words").textContent = newest.length
      ? "No run fits the filter." : "No run yet. This page shows the first one as soon as it begins.";
    document.getElementById("nothing-hint").hidden = newest.length > 0;
    const going = newest.filter((run) => run.state === "running").length;
    document.getElementById("count").textContent =
      `${newest.length} run${newest.length === 1 ? "" : "s"}, ${going} running`;
    document.title = `${going} running · Paramedic`;
  }

  filter.addEventListener("input", show);
  Paramedic.listen();
  let known = new Map();
  Paramedic.hear("/events", (message) => {
    // The first message has all runs and their places, the others what has changed since.
    if (message.places) {
      known = new Map();
      document.getElementById("places").textContent = message.places.join(", ");
    }
    for (const run of message.runs) known.set(run.id, run);
    if (message.order) known = new Map(message.order.map((id) => [id, known.get(id)]));
    newest = [...known.values()];
    show();
  });
  setInterval(show, 20000); // "3 minutes ago" grows by itself
})();
