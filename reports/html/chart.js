// Two drawings over time: the message chart (columns are lanes, rows are steps), and the truth strip with its scrubber.

const LINE = 28, GUTTER = 200, COLUMN = 116, CHART_TOP = 30, CHART_WINDOW = 200;

/** The columns of the chart: lanes that take part, and, where someone else sends or receives, a column for them. */
function columnsOf(trace) {
  const { view, lanes, messages } = trace.document;
  const taking = new Set(trace.steps.map((step) => step.lane));
  for (const each of messages) [each.source, each.to, ...each.received.map(({ lane }) => lane)].forEach((id) => taking.add(id));
  const ids = view ? [...view.lanes] : [];
  for (const { id } of lanes) if (!ids.includes(id) && taking.has(id)) ids.push(id);
  const others = messages.some((each) => each.source === null || (each.to === null && each.received.length === 0))
    || trace.steps.some((step) => step.kind === "client");
  return others ? [null, ...ids] : ids;
}

/** The message chart. It draws a window of steps; `show` moves through it and redraws only at its edges. */
class Chart {
  constructor(trace, host, onstep) {
    Object.assign(this, { trace, host, onstep, columns: columnsOf(trace), from: null, moving: [] });
    this.worthwhile = this.columns.length > 0;
  }

  x(id) {
    const at = this.columns.indexOf(id);
    return GUTTER + 44 + Math.max(0, at) * COLUMN;
  }

  y(position) {
    return (position - this.from) * LINE;
  }

  show(position, focus) {
    const first = Math.max(1, Math.min(position - CHART_WINDOW / 2, this.trace.last - CHART_WINDOW + 1));
    const outside = position < this.from || position > this.from + CHART_WINDOW - 1;
    if (this.from === null || (outside && position > 0) || focus !== this.focus) this.draw(first, focus);
    this.mark(position);
  }

  /** Everything that does not depend on where one is. */
  draw(first, focus) {
    this.from = first;
    this.focus = focus;
    this.to = Math.min(this.trace.last, first + CHART_WINDOW - 1);
    this.moving = [];
    const [width, height] = [GUTTER + this.columns.length * COLUMN, (this.to - first + 1) * LINE + 10];
    this.cursor = svg("rect", { x: 0, y: 0, width, height: LINE - 2, rx: 5, class: "cursor" });
    this.now = svg("g", { class: "now" });
    const rows = Array.from({ length: this.to - first + 1 }, (_, index) => this.row(first + index, width));
    const messages = this.trace.document.messages.map((each) => this.message(each)).filter(Boolean);
    const heads = svg("svg", { class: "chart heads", viewBox: `0 0 ${width} ${CHART_TOP}`, width, height: CHART_TOP, "aria-hidden": "true" },
      this.columns.map((id) => text(this.x(id), 20, id ?? "others", { class: id === null ? "who others" : "who", "text-anchor": "middle" })));
    this.picture = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": "Message chart: a column for each lane, a row for each step; the steps beside it say the same" },
    this.cursor,
    this.columns.map((id) => svg("line", { x1: this.x(id), y1: 0, x2: this.x(id), y2: height, class: "life" })),
    rows, messages, this.now);
    this.host.replaceChildren(heads, this.picture);
  }

  /** A step: its number and action, and a mark in the lane whose step it is. */
  row(position, width) {
    const step = this.trace.step(position), y = this.y(position) + LINE / 2;
    const faint = this.focus && !this.trace.touches(position, this.focus) ? " dimmed" : "";
    const made = svg("g", { class: `event ${step.kind}${faint}`, onclick: () => this.onstep(position) },
      svg("title", {}, step.sentence),
      svg("rect", { x: 0, y: y - LINE / 2, width, height: LINE, class: "hit" }),
      text(40, y + 4, step.i, { class: "number", "text-anchor": "end" }),
      text(50, y + 4, short(step.action, 20), { class: "what" }),
      this.trace.isAfterGap(position) ? svg("line", { x1: 0, y1: y - LINE / 2, x2: width, y2: y - LINE / 2, class: "gap" }) : null,
      this.partners(step, y), this.dot(step, y));
    this.moving.push([made, position, position]);
    return made;
  }

  dot(step, y) {
    const x = this.x(step.kind === "client" && this.columns.includes(null) && !step.lane ? null : step.lane);
    if (step.kind === "fault") return svg("path", { d: `M${x - 5},${y - 5} l10,10 m0,-10 l-10,10`, class: "dot" });
    if (step.kind === "client") return svg("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9, class: "dot" });
    return svg("circle", { cx: x, cy: y, r: 4.5, class: "dot" });
  }

  /** A thin line to the others that a step without a message is about: the leader that a follower fetches from. */
  partners(step, y) {
    if (step.messages.length) return null;
    const others = Object.values(step.args).filter((id) => id !== step.lane && this.columns.includes(id) && id !== null);
    return others.map((id) => svg("g", { class: "partner" },
      svg("line", { x1: this.x(step.lane), y1: y, x2: this.x(id), y2: y }),
      svg("circle", { cx: this.x(id), cy: y, r: 3 })));
  }

  /** A message from where it was sent to each place where it was received, or to where it was lost. */
  message(each) {
    const sent = this.trace.positionOf(each.sent);
    const start = [this.x(each.source), this.y(Math.max(sent, 0)) + LINE / 2];
    const lines = each.received.map(({ step, lane }) => {
      const at = this.trace.positionOf(step);
      return this.arrow(each, sent, at, start, [this.x(lane ?? each.to), this.y(at) + LINE / 2], "");
    });
    if (each.end === "lost" && each.ended !== null) {
      const at = this.trace.positionOf(each.ended);
      const x = start[0] + (this.x(each.to) - start[0]) * 0.7;
      lines.push(this.arrow(each, sent, at, start, [x, this.y(at) + LINE / 2], "lost"));
    }
    return lines.some(Boolean) ? svg("g", { class: "message" }, lines) : null;
  }

  arrow(each, sent, ended, [x1, y1], [x2, y2], how) {
    if (ended < this.from || sent > this.to) return null;
    const turn = Math.atan2(y2 - y1, x2 - x1);
    const at = (back, side) => [x2 - back * Math.cos(turn) - side * Math.sin(turn),
      y2 - back * Math.sin(turn) + side * Math.cos(turn)].map((value) => value.toFixed(1)).join(",");
    const near = how === "lost" ? 0 : 6;
    const line = (side) => svg("path", { d: `M${(x1 - side * Math.sin(turn)).toFixed(1)},${(y1 + side * Math.cos(turn)).toFixed(1)}`
      + ` L${at(near, side)}`, class: "line" });
    const head = how === "lost"
      ? svg("path", { d: `M${x2 - 5},${y2 - 5} l10,10 m0,-10 l-10,10`, class: "end" })
      : svg("polygon", { points: `${at(5, 0)} ${at(13, 4.5)} ${at(13, -4.5)}`, class: "end" });
    const loop = x1 === x2;
    const path = loop ? [svg("path", { d: `M${x1},${y1} C${x1 + 44},${y1} ${x2 + 44},${y2} ${x2 + 8},${y2}`, class: "line" })]
      : each.copy ? [line(2), line(-2)] : [line(0)];
    const made = svg("g", { class: `arrow ${how}${each.copy ? " copy" : ""}`, onclick: () => this.onstep(ended) },
      svg("title", {}, `${each.text}${each.copy ? " (a duplicate)" : ""}${how ? `, ${how} at step ${each.ended}` : ""}`),
      path, head,
      text((x1 + x2) / 2 + (loop ? 36 : 0), (y1 + y2) / 2 - 5, short(each.name, 18), { class: "name", "text-anchor": "middle" }));
    this.moving.push([made, sent, ended]);
    return made;
  }

  /** What depends on where one is: the band, what is still to come, what is in flight. */
  mark(position) {
    this.cursor.setAttribute("y", this.y(position) + 1);
    this.cursor.classList.toggle("nowhere", position === 0);
    for (const [made, , ended] of this.moving) made.classList.toggle("future", ended > position);
    this.now.replaceChildren(...this.trace.document.messages.map((each) => this.flight(each, position)).filter(Boolean));
  }

  flight(each, position) {
    const sent = this.trace.positionOf(each.sent);
    const over = each.received.some(({ step }) => this.trace.positionOf(step) <= position)
      || (each.ended !== null && this.trace.positionOf(each.ended) <= position);
    if (sent > position || over || sent < this.from - CHART_WINDOW) return null;
    const [x1, y1, y2] = [this.x(each.source), this.y(sent) + LINE / 2, this.y(position) + LINE + (each.copy ? 8 : 0)];
    const far = this.x(each.to ?? (each.received[0] || { lane: each.source }).lane);
    return svg("g", { class: "flight" }, svg("title", {}, `in flight: ${each.text}`),
      svg("path", { d: `M${x1},${y1} L${x1 + (far - x1) * 0.6},${Math.max(y1 + 6, y2)}` }),
      svg("circle", { cx: x1 + (far - x1) * 0.6, cy: Math.max(y1 + 6, y2), r: 4 }));
  }

  /** How many messages are in flight at a position. */
  inFlight(position) {
    return this.trace.document.messages.filter((each) => this.trace.positionOf(each.sent) <= position
      && (each.ended === null || this.trace.positionOf(each.ended) > position) && each.received.every(({ step }) =>
      this.trace.positionOf(step) > position));
  }
}

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

const TRUTH_WORDS = { 1: "holds", 0: "fails", "-": "not checked" };
const REACHED_WORDS = { 1: "reached", 0: "not here", "-": "not checked" };

/** The truth strip: the scrubber, and a row of boxes for each property, all over the same axis of states. */
class Strip {
  constructor(trace, host, onstep) {
    Object.assign(this, { trace, host, onstep, states: trace.last + 1 });
    this.rows = Object.entries(trace.document.properties).map(([name, { kind, says }]) => {
      const marks = Array.from({ length: this.states }, (_, at) => trace.truth(name, at));
      return { name, kind, says, marks, fails: kind !== "reachable" && marks.includes("0") };
    });
    const shown = trace.document.property ? trace.document.property.name : null;
    const rank = (row) => (row.name === shown ? 0 : row.fails ? 1 : row.kind === "reachable" ? 3 : 2);
    this.rows.sort((one, other) => rank(one) - rank(other));
  }

  words(row, position) {
    return (row.kind === "reachable" ? REACHED_WORDS : TRUTH_WORDS)[row.marks[position]];
  }

  /** Draws all rows for a width in pixels. */
  draw(width) {
    this.width = Math.max(200, width);
    this.unit = Math.min(110, this.width / this.states);
    this.slider = this.scrubber();
    this.cursors = [];
    this.host.replaceChildren(html("div", { class: "strip-row" }, html("span", { class: "strip-name muted" }, "state"), this.slider),
      ...this.rows.map((row) => this.row(row)));
  }

  scrubber() {
    const middle = (at) => (at + 0.5) * this.unit;
    const { trace } = this;
    const faults = trace.steps.flatMap((step, index) => (step.kind === "fault" ? [index + 1] : []));
    const every = Math.max(1, Math.ceil(this.states / (this.width / 26)));
    const numbers = Array.from({ length: Math.ceil(this.states / every) }, (_, at) => at * every);
    this.knob = svg("circle", { cy: 15, r: 11, class: "knob" });
    this.knobText = text(0, 19, "", { "text-anchor": "middle", class: "knob-text" });
    const made = svg("svg", { class: "scrubber", width: this.unit * this.states, height: 42, role: "slider", tabindex: 0,
      "aria-label": "state", "aria-valuemin": 0, "aria-valuemax": trace.total },
    svg("line", { x1: middle(0), y1: 15, x2: middle(trace.last), y2: 15, class: "rail" }),
    trace.loop === null ? null : svg("path", { class: "back",
      d: `M${middle(trace.last)},15 C${middle(trace.last)},46 ${middle(trace.loop)},46 ${middle(trace.loop)},22 l-4,6 m4,-6 l4,6` }),
    numbers.map((at) => [svg("circle", { cx: middle(at), cy: 15, r: 2.5, class: "stop" }),
      text(middle(at), 39, trace.number(at), { "text-anchor": "middle", class: "axis" })]),
    faults.map((at) => svg("path", { d: `M${middle(at)},8 v14`, class: "tick" })),
    trace.failing === null ? null : svg("path", { class: "failing", d: `M${middle(trace.failing) - 5},10 l10,10 m0,-10 l-10,10` }),
    this.knob, this.knobText);
    this.draggable(made);
    return made;
  }

  draggable(made) {
    const to = (event) => this.onstep(this.at(made, event));
    made.addEventListener("pointerdown", (event) => {
      made.setPointerCapture(event.pointerId);
      to(event);
    });
    made.addEventListener("pointermove", (event) => made.hasPointerCapture(event.pointerId) && to(event));
  }

  at(made, event) {
    const x = event.clientX - made.getBoundingClientRect().left;
    return Math.max(0, Math.min(this.states - 1, Math.floor(x / this.unit)));
  }

  row(row) {
    const first = row.fails ? row.marks.indexOf("0") : null;
    const said = row.kind === "reachable"
      ? (row.marks.includes("1") ? `reached at state ${this.trace.number(row.marks.indexOf("1"))}` : "not reached here")
      : row.fails ? `fails, first at state ${this.trace.number(first)}` : row.marks.includes("1") ? "holds" : "not checked";
    const cursor = svg("rect", { y: 1, width: this.unit, height: 22, class: "here" });
    this.cursors.push(cursor);
    const boxes = svg("svg", { class: `boxes ${row.kind === "reachable" ? "witness" : ""}`, width: this.unit * this.states,
      height: 24, role: "img", "aria-label": `${row.name}: ${said}`, onclick: (event) => this.onstep(this.at(boxes, event)) },
    runsOf(row.marks).map((run) => this.run(run)), cursor);
    return html("div", { class: `strip-row ${row.fails ? "fails" : ""}` },
      html("span", { class: "strip-name", title: `${row.says} (${said})` },
        html("span", { class: "mark", "aria-hidden": "true" }, row.fails ? "✗" : row.marks.includes("1") ? "✓" : "–"),
        row.name), boxes);
  }

  /** Boxes of one truth value in a row; where they are wide enough, one for each state with its sign. */
  run([mark, first, last]) {
    const name = { 1: "true", 0: "false", "-": "unknown" }[mark];
    if (this.unit < 14) {
      return svg("rect", { x: first * this.unit, y: 4, width: (last - first + 1) * this.unit, height: 16, class: `box ${name}` });
    }
    return Array.from({ length: last - first + 1 }, (_, index) => {
      const x = (first + index) * this.unit, middle = x + this.unit / 2;
      const sign = { 1: `M${middle - 4},12 l3,4 l6,-8`, 0: `M${middle - 4},8 l8,8 m0,-8 l-8,8`, "-": `M${middle - 4},12 h8` }[mark];
      return [svg("rect", { x: x + 1, y: 3, width: this.unit - 2, height: 18, rx: 4, class: `box ${name}` }),
        svg("path", { d: sign, class: `sign ${name}` })];
    });
  }

  show(position) {
    const x = (position + 0.5) * this.unit;
    this.knob.setAttribute("cx", x);
    this.knobText.setAttribute("x", x);
    this.knobText.textContent = this.trace.number(position);
    this.slider.setAttribute("aria-valuenow", this.trace.number(position));
    this.slider.setAttribute("aria-valuetext", `state ${this.trace.number(position)} of ${this.trace.total}`);
    for (const cursor of this.cursors) cursor.setAttribute("x", position * this.unit);
  }
}
