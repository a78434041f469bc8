// The trace as data: states out of keyframes and changes, differences, searches, links. Nothing here draws.

/** A value as people write it: `A`, `none`, `{A, B}`; where its type is known, `Record(id=0, epoch=1)` and `[1, 2]`. */
function said(value, type = { kind: "" }) {
  const { kind, name, fields, of, value: held } = type.kind === "option" ? type.of : type;
  if (value === null || value === undefined) return "none";
  if (typeof value !== "object") return String(value);
  const [listed, keys] = [Array.isArray(value), Object.keys(value)];
  if (kind === "union") {
    const { "@": which, ...rest } = value;
    return said(rest, of.find((variant) => variant.name === which));
  }
  if (kind === "tuple") return `(${value.map((part, at) => said(part, of[at])).join(", ")})`;
  if (kind === "record") return `${name}(${keys.map((key) => `${key}=${said(value[key], fields[key])}`).join(", ")})`;
  const parts = keys.map((key) => (listed ? said(value[key], of) : `${key}: ${said(value[key], held)}`)).join(", ");
  return kind === "seq" ? `[${parts}]` : `{${parts}}`;
}

/** `1 step`, `2 steps`, `1,000 steps`. */
const count = (number, noun) => `${digits.format(number)} ${noun}${number === 1 ? "" : "s"}`;
const digits = new Intl.NumberFormat("en");

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A value with one row of changes made in it: a path, then what came, what went, or the old and the new value.
 *
 * A path that ends in a sequence has an offset for its last part; one that ends in a set has none. */
function applied(value, sign, row) {
  const [key, ...rest] = row;
  if (sign === "~" && row.length === 2) return row[1];
  if (sign !== "~" && row.length === 1) {
    const at = value.findIndex((held) => same(held, key));
    return sign === "+" ? [...value, key] : value.filter((_, index) => index !== at);
  }
  const inSequence = Array.isArray(value) && (!Array.isArray(value[key]) || Array.isArray(rest[0]));
  if (sign !== "~" && rest.length === 1 && inSequence) return [...value.slice(0, key), ...(sign === "+" ? rest : [])];
  const copy = Array.isArray(value) ? value.slice() : { ...value };
  copy[key] = applied(copy[key], sign, rest);
  return copy;
}

/** Differences between two values of a type, as rows {sign, cell, at, type, before, after}: `traces/differences.py`. */
function* differences(type, before, after, cell) {
  if (same(before, after)) return;
  const inner = type.kind === "option" && before !== null && after !== null ? type.of : type;
  if (inner.kind === "map") {
    for (const key of Object.keys(before)) yield* differences(inner.value, before[key], after[key], `${cell}[${key}]`);
  } else if (inner.kind === "record") {
    for (const [key, part] of Object.entries(inner.fields)) {
      yield* differences(part, before[key], after[key], `${cell}.${key}`);
    }
  } else if (inner.kind === "seq") {
    const shared = Math.min(before.length, after.length);
    for (let at = 0; at < shared; at++) yield* differences(inner.of, before[at], after[at], `${cell}[${at}]`);
    for (let at = shared; at < before.length; at++) yield { sign: "-", cell, at, type: inner.of, before: before[at] };
    for (let at = shared; at < after.length; at++) yield { sign: "+", cell, at, type: inner.of, after: after[at] };
  } else if (inner.kind === "set" || inner.kind === "bag") {
    const left = after.map((element) => JSON.stringify(element));
    for (const element of before) {
      const at = left.indexOf(JSON.stringify(element));
      if (at < 0) yield { sign: "-", cell, type: inner.of, before: element };
      else left.splice(at, 1);
    }
    for (const element of left) yield { sign: "+", cell, type: inner.of, after: JSON.parse(element) };
  } else {
    yield { sign: "~", cell, type, before, after };
  }
}

/** What a lane of an abstract model shows after the step of a number: the abstract step that it is (undefined: it
 * stutters; null: it is none), the abstract state, and the one before. */
function abstractAt({ states, steps }, number) {
  const upTo = (most) => states[Math.max(...Object.keys(states).map(Number).filter((at) => at <= most))];
  return { step: steps[number], state: upTo(number), before: number > 0 ? upTo(number - 1) : null };
}

/** A trace with the pictures that its model draws put together of their parts (`pictures.py`). */
function pictured(document, parts) {
  const boards = document.view?.kind === "drawing" ? Object.values(document.frames).map((frame) => frame.board) : [];
  for (const board of boards) if (board) board.svg = board.svg.map((number) => parts[number]).join("");
  return document;
}

/** One trace: a document, and what the page knows beside it. Positions count the states that are here from 0, and the
 * step at a position leads to that state. Numbers are the document's; they run ahead where states were left out. */
class Trace {
  constructor(document, extras) {
    const { steps, truncated, property } = document;
    this.document = document;
    this.digest = extras.digest;
    this.texts = extras.texts || {};
    this.steps = steps;
    this.last = this.steps.length;
    this.total = truncated ? truncated.steps : steps.length;
    this.types = Object.fromEntries(document.fields.map((field) => [field.name, field.type]));
    this.failing = property && property.fails ? this.positionOf(property.fails.step) : null;
    this.loop = document.loop === null ? null : this.positionOf(document.loop);
    this.goesRound = this.loop !== null && this.loop < this.last;
    this.states = new Map();
    this.frames = new Map();
    this.watches = extras.watches || {};
  }

  /** What is watched, as [expression, its value in words at each position]; of a state that nobody looked at: …. */
  watched() {
    const known = this.nodes && around ? around.document.watched : {}, positions = [...Array(this.last + 1).keys()];
    if (Object.keys(known).length === 0) {
      return Object.entries(this.watches).map(([text, values]) =>
        [text, positions.map((at) => values[this.number(at)])]);
    }
    return Object.entries(known).map(([text, values]) => [text, positions.map((at) => values[this.nodes[at]] ?? "…")]);
  }

  /** A state's number, as the document counts. */
  number(position) {
    return position === 0 ? 0 : this.steps[position - 1].i;
  }

  /** Where the state of a number is, or the nearest one before it that is here. */
  positionOf(number) {
    if (number <= 0) return 0;
    if (this.total === this.last) return Math.min(number, this.last);
    let position = 0;
    while (position < this.last && this.number(position + 1) <= number) position++;
    return position;
  }

  /** The state at a position: from the keyframe before it, change by change. */
  state(position) {
    const every = this.document.states.keyframe_every;
    return this.whole(this.states, this.document.states, position, (at, entry) => {
      const complete = this.number(at) % every === 0 || this.isAfterGap(at);
      const rows = complete ? [] : ["~", "-", "+"].flatMap((sign) => (entry[sign] || []).map((row) => [sign, row]));
      return complete ? entry : rows.reduce((state, [sign, row]) => applied(state, sign, row), this.states.get(at - 1));
    });
  }

  /** What is drawn at a position: lanes, board and marks; null where there is no view. */
  frame(position) {
    if (this.document.view === null) return null;
    return this.whole(this.frames, this.document.frames, position, (at, entry) => {
      const before = this.frames.get(at - 1);
      if (!entry || !before || this.isAfterGap(at)) return entry;
      return { ...entry, lanes: { ...before.lanes, ...entry.lanes }, board: entry.board || before.board };
    });
  }

  /** The entry at a position made whole, and all before it back to the nearest one that is known. */
  whole(known, table, position, made) {
    let from = position;
    while (from > 0 && !known.has(from) && !known.has(from - 1)) from--;
    for (let at = from; at <= position; at++) {
      if (!known.has(at)) known.set(at, made(at, table[this.number(at)]));
    }
    return known.get(position);
  }

  /** Whether the states before this one were left out. */
  isAfterGap(position) {
    const { truncated } = this.document;
    return truncated !== null && position > 0 && this.number(position) === truncated.last + 1;
  }

  /** Whether a property is true at a position: `1`, `0`, or `-`. */
  truth(name, position) {
    const marks = this.document.truth[name];
    return marks[marks.length === this.last + 1 ? position : this.number(position)];
  }

  /** What can and what cannot happen at a position: {enabled, disabled: [[reason, steps]]}; null if nobody looked. */
  choices(position) {
    const { steps, reasons, states } = this.document.disabled;
    const found = states[this.number(position)];
    if (!found) return null;
    const texts = (numbers) => numbers.map((number) => steps[number]);
    return { enabled: texts(found.enabled), disabled: found.disabled.map(([at, of]) => [reasons[at], texts(of)]) };
  }

  /** What differs between two states, of this trace or of another one of the same model. */
  compared(before, after) {
    return this.document.fields.flatMap(({ name, type }) =>
      name in before && name in after ? [...differences(type, before[name], after[name], name)] : []);
  }

  step(position) {
    return position === 0 ? null : this.steps[position - 1];
  }

  /** What to call the first state, which need not be an initial one. */
  get firstState() {
    const begins = { induction: "A state that the lemmas allow", earlier: "A state to which earlier steps have led" };
    return begins[this.document.begins] ?? "The initial state";
  }

  /** The command that replays it, or why there is none. */
  get replay() {
    return this.document.replay ?? "it begins in no initial state, and cannot be replayed by itself";
  }

  sentence(position) {
    return position === 0 ? `${this.firstState}.` : this.steps[position - 1].sentence;
  }

  /** Whether a step writes a cell of a lane. */
  touches(position, lane) {
    const step = this.step(position);
    return step !== null && (step.lane === lane || step.writes.some((cell) => cell.endsWith(`[${lane}]`)));
  }

  /** The next position from here, in a direction, that a test is true of; null if there is none. */
  find(position, direction, test) {
    for (let at = position + direction; at >= 0 && at <= this.last; at += direction) if (test(at)) return at;
    return null;
  }

  /** The positions whose sentence, step or changed fields hold a text. */
  matches(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const texts = (step) => [step.sentence, step.step, ...step.changed].join("\n").toLowerCase();
    return this.steps.flatMap((step, index) => (texts(step).includes(wanted) ? [index + 1] : []));
  }

  /** Runs of three or more steps of one lane, as [first, last] positions. */
  runs() {
    const found = [];
    for (let first = 1; first <= this.last; ) {
      let last = first;
      const lane = this.step(first).lane;
      while (lane && last < this.last && this.step(last + 1).lane === lane) last++;
      if (last - first >= 2) found.push([first, last]);
      first = last + 1;
    }
    return found;
  }

  /** How many steps two traces have in common at their start. */
  commonWith(other) {
    let position = 0;
    const taken = (step) => [step.action, step.args];
    while (position < Math.min(this.last, other.last)
      && same(taken(this.steps[position]), taken(other.steps[position]))) position++;
    return position;
  }
}

/** A trace as files have it: a line for each step, each state and each frame. */
function fileText(document) {
  const rows = (value, levels, indent) => {
    const deeper = `${indent}  `, listed = Array.isArray(value);
    if (!levels || Object(value) !== value || !Object.keys(value).length) return JSON.stringify(value);
    const parts = Object.entries(value).map(([key, held]) =>
      `${deeper}${listed ? "" : `${JSON.stringify(key)}: `}${rows(held, levels - 1, deeper)}`);
    return `${listed ? "[" : "{"}\n${parts.join(",\n")}\n${indent}${listed ? "]" : "}"}`;
  };
  const parts = Object.entries(document).map(([key, value]) =>
    `  ${JSON.stringify(key)}: ${rows(value, key === "disabled" ? 2 : 1, "  ")}`);
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** A link's parts, from what stands behind `#`. */
function readLink(hash) {
  const parts = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  const number = parts.s !== undefined && /^\d+$/.test(parts.s) ? Number(parts.s) : null;
  return { step: number, focus: parts.f || null, changedOnly: parts.d !== "0", digest: parts.v || null,
    theme: ["light", "dark"].includes(parts.t) ? parts.t : "system", trace: Number(parts.r) || 0,
    branch: /^\d+(\.\d+)+$/.test(parts.b) ? parts.b.split(".").map(Number) : null };
}

/** What stands behind `#` for a place in a trace. */
function writeLink({ step, focus, changedOnly, digest, theme, trace, branch }) {
  const parts = [["s", step], ["f", focus], ["d", changedOnly ? 1 : 0], ["v", digest]];
  if (theme !== "system") parts.push(["t", theme]);
  if (trace && !branch) parts.push(["r", trace]);
  if (branch) parts.push(["b", branch]);
  const given = parts.filter(([, value]) => value !== null);
  return "#" + given.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}
