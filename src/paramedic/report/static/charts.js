/* Curves: one uPlot chart per panel of the view-model, with the findings marked on the time axis. */
(() => {
  "use strict";
  const Paramedic = (window.Paramedic = window.Paramedic || {});

  /** The value of a colour of the theme. */
  Paramedic.colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  /** A number in four digits. */
  Paramedic.number = (value) => {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return "not finite";
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size < 1e-3 || size >= 1e5) {
      return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
    }
    return String(Number(value.toPrecision(4)));
  };

  /** A step, or a tick of an axis of steps. */
  Paramedic.step = (value) => Math.round(value).toLocaleString("en");
  const shortStep = (value) => {
    if (value % 1) return "";
    if (Math.abs(value) >= 1e6) return `${value / 1e6}M`;
    return Math.abs(value) >= 1e4 ? `${value / 1e3}k` : String(value);
  };

  const withAlpha = (colour, alpha) => {
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = colour;
    const hex = probe.fillStyle;
    const part = (at) => parseInt(hex.slice(at, at + 2), 16);
    return `rgba(${part(1)}, ${part(3)}, ${part(5)}, ${alpha})`;
  };

  /** Vertical lines where findings began, numbered as their cards are. */
  const marksPlugin = (marks) => ({
    hooks: {
      draw: [
        (chart) => {
          const { ctx, bbox } = chart;
          const ratio = devicePixelRatio || 1;
          let last = -Infinity, row = 0;
          ctx.save();
          for (const mark of [...marks].sort((a, b) => a.step - b.step)) {
            const x = chart.valToPos(mark.step, "x", true);
            if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) continue;
            row = x - last < 20 * ratio ? row + 1 : 0;
            last = x;
            const colour = Paramedic.colour(mark.severity);
            ctx.strokeStyle = colour;
            ctx.lineWidth = ratio;
            ctx.setLineDash([4 * ratio, 3 * ratio]);
            ctx.beginPath();
            ctx.moveTo(x, bbox.top);
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
            ctx.setLineDash([]);
            const radius = 8.5 * ratio;
            const centre = Math.min(Math.max(x, bbox.left + radius), bbox.left + bbox.width - radius);
            const y = bbox.top + radius + row * 2.3 * radius;
            ctx.fillStyle = colour;
            ctx.beginPath();
            ctx.arc(centre, y, radius, 0, 2 * Math.PI);
            ctx.fill();
            ctx.fillStyle = Paramedic.colour("surface");
            ctx.font = `700 ${10 * ratio}px ${Paramedic.colour("sans")}`;
            ctx.textAlign = "center";
            ctx.textBaseline = "middle";
            ctx.fillText(String(mark.number), centre, y + 0.5 * ratio);
          }
          ctx.restore();
        },
      ],
    },
  });

  /** Short strokes at the foot of the chart where steps were skipped or not finite. */
  const ticksPlugin = (ticks) => ({
    hooks: {
      draw: [
        (chart) => {
          const { ctx, bbox } = chart;
          const ratio = devicePixelRatio || 1;
          ctx.save();
          for (const [word, steps] of Object.entries(ticks)) {
            ctx.fillStyle = Paramedic.colour(word === "skipped" ? "warning" : "critical");
            const { min, max } = chart.scales.x; // each pixel of the view-model as wide as it is here
            const width = Math.max(2 * ratio, bbox.width / Math.min(480, max - min + 1) + ratio);
            for (const step of steps) {
              const x = Math.min(chart.valToPos(step, "x", true), bbox.left + bbox.width - width);
              ctx.fillRect(x, bbox.top + bbox.height - 8 * ratio, width, 8 * ratio);
            }
          }
          ctx.restore();
        },
      ],
    },
  });

  /** Left and right move the cursor of a chart that has the focus. */
  const keys = (host, chart) => {
    let at = null;
    host.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 };
      const last = chart().data[0].length - 1;
      if (event.key === "Home") at = 0;
      else if (event.key === "End") at = last;
      else if (event.key in moves) at = (at === null ? -1 : at) + moves[event.key];
      else return;
      event.preventDefault();
      at = Math.min(Math.max(at, 0), last);
      chart().setCursor({ left: chart().valToPos(chart().data[0][at], "x"), top: 10 });
    });
  };

  const tables = (panel) =>
    panel.curves.map((curve) => {
      const { steps, values, low, high } = curve.points;
      return low.length ? [steps, values, low, high] : [steps, values];
    });

  const seriesOf = (panel) => {
    const series = [{ label: "step", value: (_, value) => (value === null ? "–" : Paramedic.step(value)) }];
    const bands = [];
    panel.curves.forEach((curve, place) => {
      const colour = Paramedic.colour(`curve-${(place % 8) + 1}`);
      const few = curve.points.steps.length < 60 && !panel.stepped;
      series.push({
        label: curve.name,
        stroke: colour,
        width: curve.by_epoch ? 2 : 1.5,
        points: { show: few, size: 5, fill: colour },
        value: (_, value) => Paramedic.number(value),
        ...(panel.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
      });
      if (!curve.points.low.length) return;
      const hidden = { class: "unlisted", stroke: "transparent", width: 0, points: { show: false } };
      series.push({ ...hidden, label: `${curve.name}, least` }, { ...hidden, label: `${curve.name}, largest` });
      const alpha = Number(Paramedic.colour("band-alpha")) || 0.2;
      bands.push({ series: [series.length - 1, series.length - 2], fill: withAlpha(colour, alpha) });
    });
    return { series, bands };
  };

  const axis = (more) => ({
    stroke: Paramedic.colour("muted"),
    font: `12px ${Paramedic.colour("sans")}`,
    grid: { stroke: Paramedic.colour("line"), width: 1 },
    ticks: { stroke: Paramedic.colour("line"), width: 1, size: 4 },
    ...more,
  });

  /** Only powers of ten are labelled on a logarithmic axis, unless it has less than two of them. */
  const logTicks = (_, splits) => {
    const decades = splits.filter((one) => one && Math.abs(Math.log10(one) % 1) < 1e-9).length;
    return splits.map((one) =>
      one && (decades < 2 || Math.abs(Math.log10(one) % 1) < 1e-9) ? one : null);
  };

  /**
   * Draw a panel into its place. Gives {update(panel, marks), destroy()}.
   * `options`: {marks, ticks, x: "step" | other word, format: of x}.
   */
  Paramedic.drawPanel = (host, panel, options = {}) => {
    let chart = null, shown = panel, marks = options.marks || [];
    const height = () => (host.closest(".wide") && host.clientWidth > 560 ? 290 : 230);
    const build = () => {
      if (chart) chart.destroy();
      if (!host.clientWidth) return;
      const { series, bands } = seriesOf(shown);
      if (options.x) series[0] = { label: options.x, value: (_, value) => Paramedic.number(value) };
      const logarithmic = shown.scale === "log";
      const y = logarithmic ? { distr: 3, log: 10 } : {};
      const values = { values: (_, all) => all.map((one) => (one === null ? "" : Paramedic.number(one))) };
      chart = new uPlot(
        {
          width: host.clientWidth,
          height: height(),
          series,
          bands,
          scales: { x: { time: false, range: options.range }, y },
          axes: [
            axis({ values: (_, all) => all.map((one) => (options.x ? Paramedic.number(one) : shortStep(one))), space: 60, size: 34 }),
            axis({ size: 62, ...values, ...(logarithmic ? { filter: logTicks } : {}) }),
          ],
          cursor: { drag: { x: true, y: false }, points: { size: 7 } },
          legend: { live: true },
          plugins: [ticksPlugin(shown.ticks || {}), marksPlugin(marks)],
        },
        uPlot.join(tables(shown)),
        host,
      );
    };
    build();
    keys(host, () => chart);
    const watcher = new ResizeObserver(() => {
      if (!chart) build();
      else if (host.clientWidth && host.clientWidth !== chart.width) {
        chart.setSize({ width: host.clientWidth, height: height() });
      }
    });
    watcher.observe(host);
    return {
      redraw: build,
      update: (newer, newMarks) => {
        const same = newer.curves.length === shown.curves.length && newer.scale === shown.scale &&
          JSON.stringify(newMarks || marks) === JSON.stringify(marks) && !Object.keys(newer.ticks || {}).length;
        shown = newer;
        marks = newMarks || marks;
        if (same && chart) chart.setData(uPlot.join(tables(shown)));
        else build();
      },
      destroy: () => {
        watcher.disconnect();
        if (chart) chart.destroy();
      },
    };
  };
})();
