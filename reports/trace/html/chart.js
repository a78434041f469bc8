// Two drawings over time: the message chart (columns are lanes, rows are steps), and the truth strip with its scrubber.

const LINE = 28, HEADS = 30, CHART_WINDOW = 200;

/** The columns of the chart: lanes that take part, and, where someone else sends or receives, a column for them. */
function columnsOf(trace) {
  const { view, lanes, messages } = trace.document;
  const taking = new Set(trace.steps.map((step) => step.lane));
  for (const message of messages) for (const { lane } of [...message.received, { lane: message.source },
    { lane: message.to }]) taking.add(lane);
  const ids = view ? [...view.lanes] : [];
  for (const { id } of lanes) if (!ids.includes(id) && taking.has(id)) ids.push(id);
  const others = messages.some(({ source, to, received }) => source === null || (to === null && received.length === 0));
  return others || (ids.length > 0 && taking.has(null)) ? [null, ...ids] : ids;
}

/** The message chart. It draws a window of steps; `show` moves through it and redraws only at its edges. */
class Chart {
  constructor(trace, host, onstep) {
    const at = (number) => (number === null ? Infinity : trace.positionOf(number));
    const messages = trace.document.messages.map((message) => ({
      ...message, sent: at(message.sent), gone: at(message.ended),
      received: message.received.map(({ step, lane }) => ({ at: at(step), lane: lane ?? message.to })) }));
    for (const message of messages) message.over = Math.min(message.gone, ...message.received.map((one) => one.at));
    const gutter = narrow.matches ? 22 : trace.document.cluster ? 330 : 200; // on a phone the numbers alone
    const columns = columnsOf(trace), long = Math.max(0, ...columns.map((id) => (id ?? "").length));
    Object.assign(this, { trace, host, onstep, messages, columns, from: null, gutter,
      column: Math.max(narrow.matches ? 84 : 116, long * 9 + 12) });
    this.use(Array.from({ length: trace.last }, (_, index) => index + 1));
  }

  /** Draws these steps alone, from now on. */
  use(positions) {
    Object.assign(this, { positions, drawn: new Set(positions), from: null });
  }

  /** The row of a position: its own, or the next one that is drawn. */
  rank(position) {
    let [low, high] = [0, this.positions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.positions[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  x(id) {
    return this.gutter + 44 + Math.max(0, this.columns.indexOf(id)) * this.column;
  }

  y(position) {
    return (this.rank(position) - this.from + 0.5) * LINE;
  }

  show(position, focus) {
    const row = this.rank(position);
    const first = Math.max(0, Math.min(row - CHART_WINDOW / 2, this.positions.length - CHART_WINDOW));
    const outside = position > 0 && (row < this.from || row >= this.from + CHART_WINDOW);
    if (this.from === null || outside || focus !== this.focus) this.draw(first, focus);
    this.mark(position);
  }

  /** Everything that does not depend on where one is. */
  draw(from, focus) {
    const steps = this.positions.slice(from, from + CHART_WINDOW);
    const [earliest, latest] = [steps[0] ?? 0, steps[steps.length - 1] ?? 0];
    Object.assign(this, { from, focus, earliest, latest, now: svg("g", "now") });
    const [width, height] = [this.gutter + this.columns.length * this.column, steps.length * LINE + 10];
    this.veil = svg("rect", { x: 0, width, height, class: "future" });
    this.cursor = svg("rect", { x: 0, y: 0, width, height: LINE - 2, rx: 5, class: "cursor" });
    const rows = steps.map((position) => this.row(position, width));
    const sized = (tall) => ({ viewBox: `0 0 ${width} ${tall}`, width, height: tall });
    this.host.replaceChildren(
      svg("svg", { class: "chart heads", ...sized(HEADS), "aria-hidden": "true" }, this.columns.map((id) =>
        text(this.x(id), 20, id ?? "others", { class: id === null ? "who others" : "who", "text-anchor": "middle" }))),
      svg("svg", { class: "chart", ...sized(height), role: "img",
        "aria-label": "Message chart: a column for each lane, a row for each step; the list of steps says the same" },
      svg("defs", "", tip("tip", "M0,0 L8,4 L0,8 z", 13), tip("cross", "M0,0 L8,8 M0,8 L8,0", 4)),
      this.cursor, this.columns.map((id) => svg("line", { x1: this.x(id), y1: 0, x2: this.x(id), y2: height,
        class: "life" })),
      rows, this.messages.map((message) => this.message(message)), this.veil, this.now));
  }

  /** A step: its number and action, and a mark in the lane whose step it is. */
  row(position, width) {
    const step = this.trace.step(position), y = this.y(position);
    const faint = this.focus && !this.trace.touches(position, this.focus) ? " dimmed" : "";
    return svg("g", { class: `event ${step.kind}${faint}`, onclick: () => this.onstep(position) },
      svg("title", "", step.sentence),
      svg("rect", { x: 0, y: y - LINE / 2, width, height: LINE, class: "hit" }),
      text(narrow.matches ? 22 : 40, y + 4, step.i, { class: "number", "text-anchor": "end" }),
      narrow.matches ? null : text(50, y + 4, this.trace.document.cluster
        ? short(step.sentence, Math.floor(this.gutter / 7.2)) : short(step.action, 20), { class: "what" }),
      this.trace.isAfterGap(position) ? svg("path", { d: `M0,${y - LINE / 2} H${width}`, class: "gap" }) : null,
      this.partners(step, y), this.dot(step, y));
  }

  dot(step, y) {
    const x = this.x(step.lane);
    if (step.kind === "fault") return svg("path", { d: `M${x - 5},${y - 5} l10,10 m0,-10 l-10,10`, class: "dot" });
    if (step.kind === "client") return svg("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9, class: "dot" });
    return svg("circle", { cx: x, cy: y, r: 4.5, class: "dot" });
  }

  /** A thin line to the others that a step without a message is about: the leader that a follower fetches from. */
  partners(step, y) {
    const others = Object.values(step.args).filter((id) => id !== null && id !== step.lane
      && this.columns.includes(id));
    return step.messages.length ? null : others.map((id) => svg("g", "partner",
      svg("line", { x1: this.x(step.lane), y1: y, x2: this.x(id), y2: y }),
        svg("circle", { cx: this.x(id), cy: y, r: 3 })));
  }

  /** A message from where it was sent to each place where it was received, or to where it was lost. */
  message(message) {
    const arrows = message.received.map(({ at, lane }) => this.arrow(message, at, this.x(lane), ""));
    if (message.end !== "lost") return arrows;
    const start = this.x(message.source);
    return [...arrows, this.arrow(message, message.gone, start + (this.x(message.to) - start) * 0.7, "lost")];
  }

  arrow(message, ended, x2, how) {
    if (ended < this.earliest || message.sent > this.latest) return null;
    if (!this.drawn.has(ended) && !this.drawn.has(message.sent)) return null;
    const [x1, y1, y2] = [this.x(message.source), this.y(message.sent), this.y(ended)];
    const back = x1 === x2 ? 44 : 0;
    const d = back ? `M${x1},${y1} C${x1 + back},${y1} ${x1 + back},${y2} ${x1},${y2}` : `M${x1},${y1} L${x2},${y2}`;
    const phrase = `${message.text}${message.copy ? " (a duplicate)" : ""}` +
      (how ? `, ${how} at step ${message.ended}` : "");
    return svg("g", { class: `arrow ${how}`, onclick: () => this.onstep(ended) }, svg("title", "", phrase),
      svg("path", { d, class: message.copy ? "line copy" : "line", "marker-end": how ? "url(#cross)" : "url(#tip)" }),
      message.copy ? svg("path", { d, class: "inner" }) : null,
      text((x1 + x2) / 2 + back, (y1 + y2) / 2 - 5, short(message.name, 18),
        { class: "name", "text-anchor": "middle" }));
  }

  /** Scrolls so far that a position is in sight, by half of what can be seen, so that this is rarely needed. */
  reveal(position, scrolled, room) {
    const top = HEADS + this.y(Math.max(position, this.earliest)) - LINE / 2;
    if (top < scrolled + HEADS || top + LINE > scrolled + room) this.host.scrollTop = top - room / 2;
  }

  /** What depends on where one is: the band, a veil over what is still to come, what is in flight. */
  mark(position) {
    this.cursor.setAttribute("y", this.y(position) - LINE / 2 + 1);
    this.cursor.classList.toggle("nowhere", position === 0);
    this.veil.setAttribute("y", Math.max(0, this.y(position) + LINE / 2));
    this.now.replaceChildren(...this.inFlight(position).map((message) => this.flight(message, position)));
  }

  inFlight(position) {
    return this.messages.filter((message) => message.sent <= position && message.over > position);
  }

  /** A message in flight: a bold line with an open end, on its way to where it will be handled. */
  flight(message, position) {
    const [x1, y1] = [this.x(message.source), this.y(message.sent)];
    const far = this.x(message.to ?? (message.received[0] || { lane: message.source }).lane);
    const [x, y] = [x1 + (far - x1) * 0.6, Math.max(y1 + 6, this.y(position) + LINE / 2 + (message.copy ? 8 : 0))];
    return svg("g", "flight", svg("title", "", `in flight: ${message.text}${message.copy ? " (a duplicate)" : ""}`),
      svg("path", { d: `M${x1},${y1} L${x},${y}` }), svg("circle", { cx: x, cy: y, r: 4 }));
  }
}

/** How an arrow ends. */
const tip = (id, d, refX) => svg("marker", { id, viewBox: "0 0 8 8", refX, refY: 4, markerWidth: 9, markerHeight: 9,
  orient: id === "tip" ? "auto" : 0, markerUnits: "userSpaceOnUse" }, svg("path", { d, class: id }));

/** A text of at most so many characters. */
const short = (said, most) => (said.length <= most ? said : `${said.slice(0, most - 1)}…`);

/** Runs of one character, as [character, first, last]. */
function runsOf(marks) {
  const runs = [];
  marks.forEach((mark, at) => {
    const run = runs[runs.length - 1];
    if (run && run[0] === mark) run[2] = at;
    else runs.push([mark, at, at]);
  });
  return runs;
}

/** The truth strip: the scrubber, and a row of boxes for each property, all over the same axis of states. */
class Strip {
  constructor(trace, host, onstep) {
    Object.assign(this, { trace, host, onstep, watched: trace.watched(), onrange: null });
    this.zoom(0, trace.last);
    this.rows = Object.entries(trace.document.properties).map(([name, { kind, says }]) => {
      const marks = Array.from({ length: trace.last + 1 }, (_, at) => trace.truth(name, at));
      return { name, shown: trace.document.cluster?.properties[name] ?? name, kind, says, marks,
        fails: kind !== "reachable" && marks.includes("0") };
    });
    const shown = trace.document.property ? trace.document.property.name : null;
    const rank = (row) => (row.name === shown ? 0 : row.fails ? 1 : row.kind === "reachable" ? 3 : 2);
    this.rows.sort((one, other) => rank(one) - rank(other));
  }

  /** The positions that the axis has. */
  zoom(first, last) {
    Object.assign(this, { first, states: last - first + 1 });
  }

  /** Where a position begins on the axis. */
  x(position) {
    return (position - this.first) * this.unit;
  }

  has(position) {
    return position >= this.first && position < this.first + this.states;
  }

  words(row, position) {
    const [yes, no] = row.kind === "reachable" ? ["reached", "not here"] : ["holds", "fails"];
    return { 1: yes, 0: no }[row.marks[position]] ?? "not checked";
  }

  /** Draws all rows for a width in pixels. */
  draw(width) {
    this.width = Math.max(200, width);
    this.unit = Math.min(110, this.width / this.states);
    this.slider = this.scrubber();
    this.cursors = [];
    const { trace, first } = this, whole = this.states === trace.last + 1;
    const shown = whole ? "state" : html("button", { class: "link", onclick: () => this.onrange(null) },
      `${trace.number(first)}–${trace.number(first + this.states - 1)} of ${trace.total}: show all`);
    this.host.replaceChildren(html("div", "strip-row", html("span", "strip-name muted", shown), this.slider),
      ...this.rows.map((row) => this.boxesOf(row)), ...this.watched.map((row) => this.valuesOf(row)));
  }

  scrubber() {
    const { trace } = this, middle = (at) => this.x(at + 0.5), final = this.first + this.states - 1;
    const [end, back] = [middle(trace.last), middle(trace.loop)];
    const faults = trace.steps.flatMap((step, index) =>
      (step.kind === "fault" && this.has(index + 1) ? [index + 1] : []));
    const every = Math.max(1, Math.ceil(this.states / (this.width / 26)));
    const numbers = Array.from({ length: Math.ceil(this.states / every) }, (_, at) => this.first + at * every);
    this.knob = svg("circle", { cy: 15, class: "knob" });
    this.knobText = text(0, 19, "", { "text-anchor": "middle", class: "knob-text" });
    const made = svg("svg", { class: "scrubber", width: this.unit * this.states, height: 42, role: "slider",
      tabindex: 0,
      "aria-label": "state", "aria-valuemin": trace.number(this.first), "aria-valuemax": trace.number(final) },
    svg("line", { x1: middle(this.first), y1: 15, x2: middle(final), y2: 15, class: "rail" }),
    !trace.goesRound || !this.has(trace.loop) || !this.has(trace.last) ? null : svg("path", { class: "back",
      d: `M${end},15 C${end},46 ${back},46 ${back},22 l-4,6 m4,-6 l4,6` }),
    numbers.map((at) => [svg("circle", { cx: middle(at), cy: 15, r: 2.5, class: "stop" }),
      text(middle(at), 39, trace.number(at), { "text-anchor": "middle", class: "axis" })]),
    faults.map((at) => svg("path", { d: `M${middle(at)},8 v14`, class: "tick" })),
    trace.failing === null || !this.has(trace.failing) ? null : svg("path", { class: "failing",
      d: `M${middle(trace.failing) - 5},10 l10,10 m0,-10 l-10,10` }),
    this.knob, this.knobText);
    let pulled = null; // with Shift: where a range begins
    made.addEventListener("pointerdown", (event) => {
      made.setPointerCapture(event.pointerId);
      pulled = event.shiftKey ? this.at(made, event) : null;
      this.onstep(this.at(made, event));
    });
    made.addEventListener("pointermove", (event) => made.hasPointerCapture(event.pointerId)
      && this.onstep(this.at(made, event)));
    made.addEventListener("pointerup", (event) => {
      if (pulled !== null) this.onrange([pulled, this.at(made, event)].sort((one, other) => one - other));
    });
    return made;
  }

  /** A row for what is watched: its value where it changes, and as a title of each run of equal values. */
  valuesOf([said, values]) {
    const shown = runsOf(values.slice(this.first, this.first + this.states));
    const cursor = svg("rect", { y: 1, width: this.unit, height: 22, class: "here" });
    this.cursors.push(cursor);
    const boxes = svg("svg", { class: "boxes watched", width: this.unit * this.states, height: 24, role: "img",
      "aria-label": `${said}: ${runsOf(values).map(([value, from]) => `${value} from state ${this.trace.number(from)}`)
        .slice(0, 20).join(", ")}`, onclick: (event) => this.onstep(this.at(boxes, event)) },
    shown.map(([value, from, to]) => {
      const [x, width] = [from * this.unit, (to - from + 1) * this.unit];
      return svg("g", "", svg("title", "", value),
        svg("rect", { x: x + 0.5, y: 3, width: Math.max(0.5, width - 1), height: 18, rx: Math.min(4, width / 3),
          class: "box true" }),
        width < 14 ? null
          : text(x + 5, 16.5, short(value, Math.max(1, Math.floor((width - 8) / 6.6))), { class: "value" }));
    }), cursor);
    return html("div", "strip-row", html("span", { class: "strip-name", title: said },
      html("span", { class: "mark", "aria-hidden": "true" }, "="), html("code", "", said)), boxes);
  }

  at(made, event) {
    const x = event.clientX - made.getBoundingClientRect().left;
    return this.first + Math.max(0, Math.min(this.states - 1, Math.floor(x / this.unit)));
  }

  /** What is true of a property over the whole run, in words. */
  whole({ kind, marks, fails }) {
    const at = (mark) => this.trace.number(marks.indexOf(mark));
    if (kind === "reachable") return marks.includes("1") ? `reached at state ${at("1")}` : "not reached here";
    return fails ? `fails, first at state ${at("0")}` : marks.includes("1") ? "holds" : "not checked";
  }

  boxesOf(row) {
    const said = this.whole(row);
    const cursor = svg("rect", { y: 1, width: this.unit, height: 22, class: "here" });
    this.cursors.push(cursor);
    const boxes = svg("svg", { class: `boxes ${row.kind === "reachable" ? "witness" : ""}`,
      width: this.unit * this.states,
      height: 24, role: "img", "aria-label": `${row.name}: ${said}`, onclick: (event) =>
        this.onstep(this.at(boxes, event)) },
    runsOf(row.marks.slice(this.first, this.first + this.states)).map((run) => this.run(run)), cursor);
    return html("div", `strip-row ${row.fails ? "fails" : ""}`,
      html("span", { class: "strip-name", title: `${row.says} (${said})` },
        html("span", { class: "mark", "aria-hidden": "true" },
          row.fails ? "✗" : row.marks.includes("1") ? "✓" : "–"),
        row.shown), boxes);
  }

  /** Boxes of one truth value in a row; where they are wide enough, one for each state with its sign. */
  run([mark, first, last]) {
    const name = { 1: "true", 0: "false", "-": "unknown" }[mark];
    if (this.unit < 14) {
      return svg("rect", { x: first * this.unit, y: 4, width: (last - first + 1) * this.unit, height: 16,
        class: `box ${name}` });
    }
    return Array.from({ length: last - first + 1 }, (_, index) => {
      const x = (first + index) * this.unit, middle = x + this.unit / 2;
      const sign = { 1: `M${middle - 4},12 l3,4 l6,-8`, 0: `M${middle - 4},8 l8,8 m0,-8 l-8,8`,
        "-": `M${middle - 4},12 h8` }[mark];
      return [svg("rect", { x: x + 1, y: 3, width: this.unit - 2, height: 18, rx: 4, class: `box ${name}` }),
        svg("path", { d: sign, class: `sign ${name}` })];
    });
  }

  show(position) {
    const r = this.trace.number(position) > 999 ? 15 : 11;
    const x = Math.max(r, Math.min(this.x(position + 0.5), this.unit * this.states - r)); // so that it is whole
    this.knob.setAttribute("r", r);
    this.knob.setAttribute("cx", x);
    this.knobText.setAttribute("x", x);
    this.knobText.textContent = this.trace.number(position);
    this.slider.setAttribute("aria-valuenow", this.trace.number(position));
    this.slider.setAttribute("aria-valuetext", `state ${this.trace.number(position)} of ${this.trace.total}`);
    for (const cursor of this.cursors) cursor.setAttribute("x", this.x(position));
  }
}

// --- what scrolls sideways -------------------------------------------------------------------------------------------

/** Says of a box on which sides it is cut, so that the style fades them: one sees that it scrolls. */
function showCut(box) {
  const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
  const sides = [...(box.scrollLeft > 1 ? ["left"] : []), ...(rest > 1 ? ["right"] : [])];
  if ((box.dataset.cut ?? "") === sides.join(" ")) return;
  if (sides.length) box.dataset.cut = sides.join(" ");
  else delete box.dataset.cut;
}

/** Keeps this up to date for the boxes of a selector that are in some parts of the page: as they scroll, and as they or
 * what is in them change in size. The observer reports once the browser has laid the page out, so that asking for sizes
 * costs nothing. */
function watchCuts(selector, ...parts) {
  const known = new WeakSet();
  const boxes = () => parts.flatMap((part) => (part.matches(selector) ? [part] : [...part.children]));
  const sizes = new ResizeObserver(() => boxes().forEach(showCut));
  const observe = () => {
    for (const element of boxes().flatMap((box) => [box, ...box.children])) {
      if (!known.has(element)) sizes.observe(element); // and reports it once
      known.add(element);
    }
  };
  const changes = new MutationObserver(observe);
  for (const part of parts) {
    changes.observe(part, { childList: true, subtree: true });
    part.addEventListener("scroll", ({ target }) => target.matches(selector) && showCut(target), true);
  }
  observe();
}
