/* The page: draws what the view-model says, and answers to clicks. Reused by the live page. */
(() => {
  "use strict";
  const Paramedic = (window.Paramedic = window.Paramedic || {});
  const drawn = new Set();

  /** Draw everything of a run inside `root`. Gives {update(run), destroy()}. */
  Paramedic.mountRun = (root, run) => {
    const parts = new Map();
    const marksOf = (one) => one.marks.map((mark, place) => ({ ...mark, number: place + 1 }));
    const each = (data, act) => {
      const marks = marksOf(data);
      for (const [kind, items] of [["panel", data.panels], ["map", data.maps]]) {
        items.forEach((item, place) => {
          const host = root.querySelector(`[data-${kind}="${place}"]`);
          if (host) act(kind, `${kind}:${place}`, host, item, marks);
        });
      }
    };
    each(run, (kind, key, host, item, marks) => {
      const part = kind === "panel"
        ? Paramedic.drawPanel(host, item, { marks, range: () => [0, Math.max(run.last_step, 1)] })
        : Paramedic.drawMap(host, item, marks);
      parts.set(key, part);
      drawn.add(part);
    });
    return {
      parts,
      update: (newer) => {
        run.last_step = newer.last_step;
        each(newer, (kind, key, host, item, marks) => parts.get(key) && parts.get(key).update(item, marks));
      },
      destroy: () => parts.forEach((part) => { part.destroy(); drawn.delete(part); }),
    };
  };

  const empty = { steps: [], values: [], low: [], high: [] };
  const simple = (name, steps, values) => ({ name, by_epoch: true, points: { ...empty, steps, values } });

  /** The curves of all attempts of a heal. */
  Paramedic.mountHeal = (root, heal) => {
    for (const host of root.querySelectorAll("[data-heal-chart]")) {
      const value = host.dataset.healChart;
      const curves = heal.attempts
        .filter((one) => one.curve[value].some((point) => point !== null))
        .map((one) => simple(`${one.number} ${one.remedy}`, one.curve.step, one.curve[value]));
      if (curves.length) drawn.add(Paramedic.drawPanel(host, { curves, scale: "linear", ticks: {} }));
    }
  };

  /** The best value of a study over time. */
  Paramedic.mountStudy = (root, study) => {
    for (const host of root.querySelectorAll("[data-study-chart]")) {
      const curves = study.best
        .filter((one) => one.values.some((value) => value !== null))
        .map((one) => simple(one.name, one.seconds, one.values));
      if (curves.length) {
        drawn.add(Paramedic.drawPanel(host, { curves, scale: "linear", ticks: {}, stepped: true }, { x: "seconds", range: (_, low, high) => [0, high] }));
      }
    }
  };

  /** The losses of several runs in one picture. */
  Paramedic.mountComparison = (host, runs) => {
    const curves = runs
      .map((run) => [run, run.panels.find((panel) => panel.name === "loss")])
      .filter(([, panel]) => panel && panel.curves.length)
      .map(([run, panel]) => ({ ...panel.curves[0], name: run.name, points: { ...panel.curves[0].points, low: [], high: [] } }));
    if (!curves.length) return;
    const values = curves.flatMap((one) => one.points.values).filter((one) => one !== null);
    const positive = values.every((one) => one > 0);
    const scale = positive && Math.max(...values) > 30 * Math.min(...values) ? "log" : "linear";
    drawn.add(Paramedic.drawPanel(host, { curves, scale, ticks: {} }));
  };

  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };

  const redraw = () => drawn.forEach((part) => part.redraw());

  const setTheme = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    redraw();
  };

  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };

  const remember = (theme) => {
    try {
      localStorage.setItem("paramedic-theme", theme);
    } catch { /* a page from a file may have no storage */ }
  };

  const remembered = () => {
    try {
      return localStorage.getItem("paramedic-theme");
    } catch {
      return null;
    }
  };

  const onClick = async (event) => {
    const button = event.target.closest("button");
    if (button && button.matches("[data-theme-toggle]")) {
      const theme = isDark() ? "light" : "dark";
      remember(theme);
      setTheme(theme);
    } else if (button && button.matches("[data-copy]")) {
      await copied(button.parentElement.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    }
    const link = event.target.closest("a[href^='#']");
    const target = link && document.getElementById(link.hash.slice(1));
    for (let fold = target; fold; fold = fold.parentElement) {
      if (fold.tagName === "DETAILS") fold.open = true;
    }
  };

  /** Everything is printed, also what is folded, in the light theme. */
  const printing = () => {
    let closed = [], theme = null;
    addEventListener("beforeprint", () => {
      theme = document.documentElement.dataset.theme || null;
      closed = [...document.querySelectorAll("details:not([open])")];
      closed.forEach((one) => { one.open = true; });
      setTheme("light");
    });
    addEventListener("afterprint", () => {
      closed.forEach((one) => { one.open = false; });
      setTheme(theme);
    });
  };

  /** What every page of ours does, with or without data. */
  Paramedic.listen = () => {
    const theme = remembered();
    if (theme === "light" || theme === "dark") setTheme(theme);
    document.addEventListener("click", onClick);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    printing();
  };

  /** Draw a page whose data is inside it. */
  Paramedic.start = (data) => {
    Paramedic.listen();
    data.runs.forEach((run, place) => Paramedic.mountRun(document.getElementById(`run-${place}`), run));
    data.heals.forEach((heal, place) => Paramedic.mountHeal(document.getElementById(`heal-${place}`), heal));
    data.studies.forEach((study, place) => Paramedic.mountStudy(document.getElementById(`study-${place}`), study));
    const comparison = document.querySelector("[data-comparison]");
    if (comparison) Paramedic.mountComparison(comparison, data.runs);
    document.documentElement.dataset.ready = "true";
  };

  const data = document.getElementById("paramedic-data");
  if (data) Paramedic.start(JSON.parse(data.textContent));
})();
