/* Pictures of the layers over time: a canvas with a row per layer, read by pointer or by keys. */
(() => {
  "use strict";
  const Paramedic = (window.Paramedic = window.Paramedic || {});
  const LONGEST = 40; // characters of a name beside a row
  const UNKNOWN = 0, ZERO = 1, INFINITE = 2, FIRST = 3, LEVELS = 65535 - FIRST, SHADES = 1024;

  const VIRIDIS = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"];
  const SHARES = ["#e8c26a", "#dd7f3b", "#a8182f"]; // after the theme's own colour of none
  const BELOW = ["#1b3a78", "#4f86c6", "#a8c9e8"], WITHIN = ["#8fd0b0", "#4fb389", "#8fd0b0"],
    ABOVE = ["#f5c58b", "#e07b3a", "#a8182f"];

  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const ramp = (stops) => {
    const parts = stops.map(rgb);
    return (share) => {
      const place = Math.min(Math.max(share, 0), 1) * (parts.length - 1);
      const low = Math.min(Math.floor(place), parts.length - 2);
      return parts[low].map((one, at) => one + (place - low) * (parts[low + 1][at] - one));
    };
  };
  const viridis = ramp(VIRIDIS), below = ramp(BELOW), within = ramp(WITHIN),
    above = ramp(ABOVE);

  /** The colour of a value: by the healthy band where there is one, else by the range. */
  const painter = (map) => {
    const log = (value) => Math.log10(value);
    if (map.scale !== "log") {
      const shares = ramp([Paramedic.colour("share-0"), ...SHARES]);
      return (value) => shares(Math.pow(value, 1.8)); // small shares are nothing to worry about
    }
    if (!map.healthy) {
      const low = log(map.low), span = log(map.high) - low || 1;
      return (value) => viridis((log(value) - low) / span);
    }
    const [least, most] = map.healthy.map(log);
    return (value) => {
      const size = log(value);
      if (size < least) return below(1 - (least - size) / 3);
      if (size > most) return above((size - most) / 1.5);
      return within((size - least) / (most - least));
    };
  };

  const codesOf = (map) => {
    const bytes = Uint8Array.from(atob(map.cells), (one) => one.charCodeAt(0));
    return new Uint16Array(bytes.buffer);
  };

  const valueOf = (map, code) => {
    if (code === UNKNOWN) return NaN;
    if (code === ZERO) return 0;
    if (code === INFINITE) return Infinity;
    const share = (code - FIRST) / LEVELS;
    if (map.scale === "log") return map.low * Math.pow(map.high / map.low, share);
    return map.low + share * (map.high - map.low);
  };

  const words = (map, value) => {
    if (Number.isNaN(value)) return "not measured";
    if (map.scale !== "log") return `${(100 * value).toFixed(1)} %`;
    return Paramedic.number(value);
  };

  /** The column that holds a step. */
  const columnAt = (steps, step) => {
    let low = 0, high = steps.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (steps[middle] <= step) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const clip = (context, name, room) => {
    const text = name.slice(-LONGEST);
    if (text === name && context.measureText(text).width <= room) return text;
    let end = text.length;
    while (end > 1 && context.measureText(`…${text.slice(-end)}`).width > room) end -= 1;
    return `…${text.slice(-end)}`; // the end of a dotted name tells more than its beginning
  };

  class HeatMap {
    constructor(host, map, marks) {
      this.host = host;
      this.canvas = host.querySelector("canvas");
      this.readout = host.parentElement.querySelector(".readout");
      this.mark(marks);
      this.set(map);
      this.refresh();
      this.watcher = new ResizeObserver(() => { if (host.clientWidth !== this.drawnWidth) this.draw(); });
      this.watcher.observe(host);
      // What is out of sight is drawn when it comes into sight: a live page changes often.
      this.seen = true;
      this.sight = new IntersectionObserver((entries) => {
        this.seen = entries[entries.length - 1].isIntersecting;
        if (this.seen && this.stale) this.refresh();
      }, { rootMargin: "300px" });
      this.sight.observe(host);
      this.listeners = {
        pointermove: (event) => this.point(event),
        pointerdown: (event) => this.point(event),
        pointerleave: () => { if (document.activeElement !== host) this.select(null); },
        keydown: (event) => this.key(event),
        blur: () => this.select(null),
      };
      for (const [name, listener] of Object.entries(this.listeners)) host.addEventListener(name, listener);
    }

    set(map) {
      this.map = map;
      this.codes = codesOf(map);
      this.paint = painter(map);
      this.stale = true;
    }

    refresh() {
      this.stale = false;
      this.draw();
      this.legend();
    }

    /** Newer values; the cell that is read stays at its layer and step. */
    update(map, marks) {
      const { row, column } = this.chosen || {}, step = this.chosen && this.map.steps[column];
      this.mark(marks || this.marks);
      this.set(map);
      this.chosen = this.chosen && row < map.layers.length ? { row, column: columnAt(map.steps, step) } : null;
      if (this.seen) this.refresh();
      const words = this.chosen ? this.sentence(this.chosen) : "";
      if (this.readout.textContent !== words) this.readout.textContent = words;
    }

    /** Findings; layers that one names are written in its colour. */
    mark(marks) {
      this.marks = marks;
      const named = [...marks].reverse().filter((one) => one.role !== "note");
      this.suspects = new Map(named.flatMap((one) => one.where.map((layer) => [layer, one.severity])));
    }

    destroy() {
      this.watcher.disconnect();
      this.sight.disconnect();
      for (const [name, listener] of Object.entries(this.listeners)) this.host.removeEventListener(name, listener);
    }

    value(row, column) {
      return valueOf(this.map, this.codes[row * this.map.steps.length + column]);
    }

    /** Where things are, in CSS pixels. */
    frame() {
      const width = this.host.clientWidth, rows = this.map.layers.length;
      const left = Math.round(Math.min(this.longest() + 12, width * 0.3));
      const row = Math.min(Math.max(Math.round(340 / rows), 5), 22);
      return { left, top: 18, width: width - left - 2, row, height: rows * row, foot: 22 };
    }

    /** The width of the longest name. */
    longest() {
      const context = this.canvas.getContext("2d");
      context.font = `11px ${Paramedic.colour("mono")}`;
      return Math.max(...this.map.layers.map((name) => context.measureText(name.slice(-LONGEST)).width));
    }

    draw() {
      const box = this.frame();
      this.drawnWidth = this.host.clientWidth;
      if (box.width < 10) return;
      const ratio = devicePixelRatio || 1, context = this.canvas.getContext("2d");
      const height = box.top + box.height + box.foot;
      this.canvas.width = Math.round(this.host.clientWidth * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = `${height}px`;
      context.scale(ratio, ratio);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.cells(Math.round(box.width * ratio)), box.left, box.top, box.width, box.height);
      this.labels(context, box);
      this.axis(context, box);
      this.lines(context, box);
      this.outline(context, box);
    }

    /** One pixel per layer and device pixel column. */
    cells(width) {
      const { steps, end, layers } = this.map;
      const image = new ImageData(width, layers.length);
      const pixels = new Uint32Array(image.data.buffer);
      const pack = ([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red;
      const special = [Paramedic.colour("unknown"), "#16181d", Paramedic.colour("broken")].map((one) => pack(rgb(one)));
      const shades = new Uint32Array(SHADES); // as many colours as an eye can tell apart; zero: not mixed yet
      const colour = (code) => {
        if (code < FIRST) return special[code];
        const shade = Math.round(((code - FIRST) / LEVELS) * (SHADES - 1));
        if (!shades[shade]) {
          const value = valueOf(this.map, FIRST + (shade / (SHADES - 1)) * LEVELS);
          shades[shade] = pack(this.paint(value).map(Math.round));
        }
        return shades[shade];
      };
      for (let x = 0; x < width; x += 1) {
        const column = columnAt(steps, steps[0] + ((x + 0.5) / width) * (end - steps[0]));
        for (let row = 0; row < layers.length; row += 1) {
          pixels[row * width + x] = colour(this.codes[row * steps.length + column]);
        }
      }
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = layers.length;
      canvas.getContext("2d").putImageData(image, 0, 0);
      return canvas;
    }

    labels(context, box) {
      const every = Math.ceil(12 / box.row);
      context.font = `11px ${Paramedic.colour("mono")}`;
      context.textAlign = "right";
      context.textBaseline = "middle";
      this.map.layers.forEach((name, row) => {
        if (row % every) return;
        context.fillStyle = Paramedic.colour(this.suspects.get(name) || "muted");
        context.fillText(clip(context, name, box.left - 10), box.left - 6, box.top + (row + 0.5) * box.row);
      });
    }

    axis(context, box) {
      const { steps, end } = this.map, first = steps[0];
      context.fillStyle = Paramedic.colour("muted");
      context.font = `11px ${Paramedic.colour("sans")}`;
      context.textBaseline = "top";
      const count = box.width > 420 ? 5 : 3;
      for (let tick = 0; tick < count; tick += 1) {
        const share = tick / (count - 1);
        context.textAlign = tick === 0 ? "left" : tick === count - 1 ? "right" : "center";
        const step = Math.round(first + share * (end - 1 - first));
        context.fillText(Paramedic.step(step), box.left + share * box.width, box.top + box.height + 6);
      }
    }

    x(step, box) {
      const { steps, end } = this.map;
      return box.left + ((step - steps[0]) / Math.max(end - steps[0], 1)) * box.width;
    }

    lines(context, box) {
      for (const mark of [...this.marks].reverse()) {
        if (mark.role === "note") continue;
        const x = this.x(mark.step, box);
        if (x < box.left || x > box.left + box.width) continue;
        const colour = Paramedic.colour(mark.severity);
        context.strokeStyle = colour;
        context.lineWidth = 1;
        context.setLineDash([3, 4]);
        context.beginPath();
        context.moveTo(x, box.top);
        context.lineTo(x, box.top + box.height);
        context.stroke();
        context.setLineDash([]);
        context.fillStyle = colour;
        context.beginPath();
        context.arc(x, 8, 7.5, 0, 2 * Math.PI);
        context.fill();
        context.fillStyle = Paramedic.colour("surface");
        context.font = `700 10px ${Paramedic.colour("sans")}`;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(String(mark.number), x, 8.5);
      }
    }

    outline(context, box) {
      if (!this.chosen) return;
      const { row, column } = this.chosen, { steps, end } = this.map;
      const left = this.x(steps[column], box);
      const right = this.x(column + 1 < steps.length ? steps[column + 1] : end, box);
      const width = Math.max(right - left, 3);
      for (const [colour, line] of [["#ffffff", 4], ["#10141b", 2]]) {
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(left, box.top + row * box.row, width, box.row);
      }
    }

    point(event) {
      const box = this.frame(), place = this.canvas.getBoundingClientRect(), { steps, end } = this.map;
      const x = event.clientX - place.left - box.left, y = event.clientY - place.top - box.top;
      if (x < 0 || x >= box.width || y < 0 || y >= box.height) {
        this.select(null);
        return;
      }
      const step = steps[0] + (x / box.width) * (end - steps[0]);
      this.select({ row: Math.floor(y / box.row), column: columnAt(steps, step) });
    }

    key(event) {
      const moves = {
        ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
        PageUp: [0, -20], PageDown: [0, 20], Home: [0, -1e9], End: [0, 1e9],
      };
      if (event.key === "Escape") {
        this.select(null);
        return;
      }
      if (!(event.key in moves)) return;
      event.preventDefault();
      const [down, right] = this.chosen ? moves[event.key] : [0, 0];
      const { row, column } = this.chosen || { row: 0, column: 0 };
      const within = (value, most) => Math.min(Math.max(value, 0), most - 1);
      this.select({
        row: within(row + down, this.map.layers.length),
        column: within(column + right, this.map.steps.length),
      });
    }

    select(chosen) {
      this.chosen = chosen;
      this.draw();
      this.readout.textContent = chosen ? this.sentence(chosen) : "";
    }

    sentence({ row, column }) {
      const { steps, end, layers, kinds } = this.map;
      const last = (column + 1 < steps.length ? steps[column + 1] : end) - 1;
      const when = last > steps[column] ? `steps ${Paramedic.step(steps[column])} to ${Paramedic.step(last)}` : `step ${Paramedic.step(last)}`;
      const kind = kinds[row] ? ` (${kinds[row]})` : "";
      return `${layers[row]}${kind}, ${when}: ${words(this.map, this.value(row, column))}`;
    }

    /** The colours and what they mean. */
    legend() {
      const place = this.host.parentElement.querySelector(".scale");
      if (!place) return;
      const { low, high, healthy, scale } = this.map;
      const from = scale === "log" && healthy ? Math.min(low, healthy[0]) : low;
      const to = scale === "log" && healthy ? Math.max(high, healthy[1]) : high;
      const bar = document.createElement("canvas");
      bar.width = 176;
      bar.height = 10;
      bar.setAttribute("aria-hidden", "true");
      const context = bar.getContext("2d");
      for (let x = 0; x < bar.width; x += 1) {
        const share = x / (bar.width - 1);
        const value = scale === "log" ? from * Math.pow(to / from, share) : from + share * (to - from);
        context.fillStyle = `rgb(${this.paint(value).map(Math.round).join(",")})`;
        context.fillRect(x, 0, 1, bar.height);
      }
      const text = (value) => {
        const span = document.createElement("span");
        span.textContent = value;
        return span;
      };
      const parts = [text(words(this.map, from)), bar, text(words(this.map, to))];
      if (healthy && scale === "log") parts.push(text(`healthy: ${words(this.map, healthy[0])} to ${words(this.map, healthy[1])}`));
      else if (healthy) parts.push(text(`worrying above ${words(this.map, healthy[1])}`));
      const special = [[ZERO, "zero", "#16181d"], [INFINITE, "not finite", Paramedic.colour("broken")], [UNKNOWN, "not measured", null]];
      for (const [code, name, colour] of special) {
        if (!this.codes.includes(code)) continue;
        const key = document.createElement("span"), swatch = document.createElement("canvas");
        key.className = "key";
        swatch.width = swatch.height = 12;
        swatch.setAttribute("aria-hidden", "true");
        const inner = swatch.getContext("2d");
        inner.fillStyle = colour || Paramedic.colour("unknown");
        inner.fillRect(0, 0, 12, 12);
        key.append(swatch, text(name));
        parts.push(key);
      }
      place.replaceChildren(...parts);
    }
  }

  /** Draw a map into its place. Gives {update(map, marks), redraw(), destroy()}. */
  Paramedic.drawMap = (host, map, marks) => {
    const drawn = new HeatMap(host, map, marks);
    return {
      update: (newer, newMarks) => drawn.update(newer, newMarks),
      redraw: () => { drawn.paint = painter(drawn.map); drawn.draw(); drawn.legend(); },
      destroy: () => drawn.destroy(),
      drawn,
    };
  };
})();
