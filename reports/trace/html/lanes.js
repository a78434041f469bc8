// The picture of one state: a lane for each member, as SVG or as a table. It draws frames as the document has them.

const SVG = "http://www.w3.org/2000/svg";

/** Okabe and Ito's colours for epochs 1 to 7, and of text on them; epoch 0 is grey, 8 is as 1, hatched. */
const EPOCHS = [["#56B4E9", "#000"], ["#E69F00", "#000"], ["#009E73", "#000"], ["#CC79A7", "#000"], ["#F0E442", "#000"],
  ["#0072B2", "#fff"], ["#D55E00", "#000"]];
const NO_EPOCH = ["#D5D9DE", "#000"];

/** An epoch's fill and text colour, and whether it is of a second round. */
function colour(epoch) {
  if (epoch === null || epoch <= 0) return { fill: NO_EPOCH[0], ink: NO_EPOCH[1], hatched: false };
  const [fill, ink] = EPOCHS[(epoch - 1) % 7];
  return { fill, ink, hatched: epoch > 7 };
}

/** An element with attributes, or just its class, and children; texts become text, nothing becomes nothing. */
function element(made, attributes, children) {
  const given = typeof attributes === "string" ? { class: attributes || null } : attributes;
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const svg = (tag, attributes = "", ...children) => element(document.createElementNS(SVG, tag), attributes, children);
const html = (tag, attributes = "", ...children) => element(document.createElement(tag), attributes, children);

/** Makes what is in an element what is given, and leaves alone what is the same: the browser lays out and paints anew
 * only what differs. What stays keeps its listeners, so that these must follow from its place and its attributes. */
function patch(host, ...given) {
  const [old, wanted] = [[...host.childNodes], given.flat(Infinity).filter((child) => child !== null && child !== "")];
  wanted.forEach((child, index) => {
    const [was, node] = [old[index], typeof child === "string" ? document.createTextNode(child) : child];
    if (was === undefined) host.append(node);
    else if (was.nodeName !== node.nodeName) was.replaceWith(node);
    else if ("cut" in (was.dataset ?? {}) || !was.isEqualNode(node)) patchOne(was, node);
  });
  for (const node of old.slice(wanted.length)) node.remove();
}

function patchOne(was, node) {
  if (was.nodeType === Node.TEXT_NODE) was.data = node.data;
  else {
    for (const { name } of [...was.attributes]) {
      if (!node.hasAttribute(name) && name !== "data-cut") was.removeAttribute(name); // which `watchCuts` keeps
    }
    for (const { name, value } of node.attributes) {
      if (name === "style") was.style.cssText = node.style.cssText;
      else if (was.getAttribute(name) !== value) was.setAttribute(name, value);
    }
    patch(was, ...node.childNodes);
  }
}

const ROW = 86, TOP = 24, CELL = 50, BOX = 44, TALL = 36;
/** Where logs begin: beside a lane's head, or on a phone below it. */
const narrow = matchMedia("(max-width: 760px)");
const left = () => (narrow.matches ? 62 : 252), below = () => (narrow.matches ? 72 : 0);
const xOf = (offset, shown) => left() + (offset - shown.from) * CELL;

const text = (x, y, said, attributes = {}) => svg("text", { x, y, ...attributes }, said);

/** Patterns that pictures share: the second round of colours, what was removed, who is down. */
const hatches = (id) => svg("defs", "", [["round", 6, 1.5], ["gone", 7, 1.6],
  ["down", 9, 2]].map(([name, size, width]) =>
  svg("pattern", { id: `${name}-${id}`, width: size, height: size, patternUnits: "userSpaceOnUse",
    patternTransform: name === "gone" ? "rotate(-45)" : "rotate(45)" },
  svg("line", { x1: 0, y1: 0, x2: 0, y2: size, class: `hatch ${name}`, "stroke-width": width * 2 }))));

/** A shape for a role, so that it does not rest on a word or a colour alone. */
function glyph(role, x, y) {
  const points = (...pairs) => pairs.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" ");
  const star = Array.from({ length: 10 }, (_, i) => {
    const [r, turn] = [i % 2 ? 3.6 : 8.5, (i * Math.PI) / 5 - Math.PI / 2];
    return [Number((r * Math.cos(turn)).toFixed(2)), Number((r * Math.sin(turn)).toFixed(2))];
  });
  if (role === "leader") return svg("polygon", { points: points(...star), class: "glyph leader" });
  if (role === "candidate" || role === "prospective") {
    return svg("polygon", { points: points([0, -7], [7, 0], [0, 7], [-7, 0]), class: "glyph" });
  }
  return svg("circle", { cx: x, cy: y, r: 5, class: role === null ? "glyph none" : "glyph" });
}

const widthOf = (phrase) => Math.round(phrase.length * 6.4 + 14);

/** Whether a lane has no log: in a view of groups, or beside the logs of transactions. */
const isGroup = (view, lane) => view.kind === "group" || lane.kind === "group";

/** What the protocol itself calls a thing: a `term` of Raft is an epoch. */
const word = (view, name) => view.words?.[name] ?? name;

/** A small pill of text at a place; `how` is its class. */
const pill = (x, y, phrase, how, title, { fill, ink } = {}) => svg("g", `pill ${how}`, svg("title", "", title),
  svg("rect", { x, y: y - 9, width: widthOf(phrase), height: 18, rx: 9, fill }),
  text(x + widthOf(phrase) / 2, y + 4, phrase, { "text-anchor": "middle", fill: ink }));

/** Whether a lane is in the ISR of the leader (filled), of the controller only (outlined), or of the leader only. */
function isrPill({ leader, controller }) {
  if (leader && controller === false) return ["ISR", "isr leader-only",
    "in the leader's ISR, and not in the controller's"];
  if (leader) return ["ISR", "isr both", controller ? "in the ISR, as leader and controller see it"
    : "in the leader's ISR"];
  if (controller) return ["ISR", "isr controller-only", "in the controller's ISR, and not in the leader's"];
  return leader === false || controller === false ? ["not in ISR", "isr out", "in nobody's ISR"] : null;
}

function cellBox(cell, x, y, how, id) {
  const { fill, ink, hatched } = colour(cell.epoch);
  const gone = how === "removed";
  const prefix = cell.epoch !== null && cell.text.startsWith(String(cell.epoch)) ? String(cell.epoch) : "";
  const name = prefix ? cell.text.slice(prefix.length) : cell.text;
  const style = { class: "cell-text", fill: gone ? null : ink };
  return svg("g", { class: `cell ${how}`, "data-offset": cell.offset },
    svg("title", "", `${cell.says}${how === "same" ? "" : ` (${how} in this step)`}`),
    svg("rect", { x, y, width: BOX, height: TALL, rx: 4, fill: gone ? "none" : fill, class: "box" }),
    hatched && !gone ? svg("rect", { x, y, width: BOX, height: TALL, rx: 4, fill: `url(#round-${id})` }) : null,
    gone ? svg("rect", { x, y, width: BOX, height: TALL, rx: 4, fill: `url(#gone-${id})` }) : null,
    name && prefix
      ? [text(x + 7, y + 15, prefix, { ...style, class: "cell-epoch" }), text(x + 25, y + 25, name, style)]
      : text(x + BOX / 2, y + 24, cell.text, style),
    how === "added" || gone ? text(x + BOX - 8, y + 12, gone ? "−" : "+", { ...style, class: "sign" }) : null);
}

/** A record that a lane lacks where the property fails: a red cell at its offset. */
const lostBox = (cell, shown) => {
  const x = xOf(cell.offset, shown);
  return svg("g", { class: "lost", "data-lost": cell.offset },
    svg("title", "", `lost: ${cell.text} at offset ${cell.offset} is not in this log`),
    svg("rect", { x, y: 25, width: BOX, height: TALL, rx: 4 }),
    text(x + BOX / 2, 41, cell.text), text(x + BOX / 2, 56, "lost", { class: "word" }));
};

/** An upright bar before the cell of an offset, with a flag above. */
function bar(offset, y, flag, kind, shown) {
  const at = Math.max(offset, shown.from);
  const x = xOf(at, shown) - 5;
  return svg("g", `bar ${kind}`,
    svg("rect", { x, y: y + 18, width: 5, height: 50, rx: 2 }),
    flag ? text(x + 2.5, y + 15, offset < shown.from ? `◂ ${flag}` : flag, { "text-anchor": "middle" }) : null);
}

/** Where the log ends: a caret under the first free place. */
function caret(offset, y, said, kind, shown) {
  const x = xOf(Math.max(offset, shown.from), shown) - 3;
  return svg("g", `caret ${kind}`,
    svg("polygon", { points: `${x},${y + 64} ${x + 6},${y + 73} ${x - 6},${y + 73}` }),
    said ? text(x + 10, y + 75, said) : null);
}

const moved = (name, before, after) =>
  before === undefined || before === null || before === after ? `${name} ${after}` : `${name} ${before}→${after}`;

/** The log of a lane: what is committed, cells, what this step removed, open transactions, bars. */
function logOf(lane, marks, y, shown, id) {
  const top = y + 25;
  const { changed } = marks;
  const cells = lane.cells.filter((cell) => cell.offset >= shown.from);
  const added = new Set(marks.added), replaced = new Map(marks.replaced.map((cell) => [cell.offset, cell]));
  const how = (cell) => (added.has(cell.offset) ? "added" : replaced.has(cell.offset) ? "replaced" : "same");
  const high = lane.high_watermark, stable = lane.last_stable_offset;
  const flags = moved(word(shown.view, "HW"), changed.high_watermark, high)
    + (stable !== null && stable === high ? ", LSO" : "");
  return svg("g", "log",
    high > shown.from ? svg("rect", { x: left() - 4, y: y + 18, width: (high - shown.from) * CELL, height: 50,
      class: "committed" }) : null,
    shown.from > 0 ? text(left() - 8, top + 22, `${shown.from} ◂`, { "text-anchor": "end", class: "muted" }) : null,
    cells.map((cell) => cellBox(cell, xOf(cell.offset, shown), top, how(cell), id)),
    marks.removed.filter((cell) => cell.offset >= shown.from)
      .map((cell) => cellBox(cell, xOf(cell.offset, shown), top, "removed", id)),
    lane.spans.map((span) => spanOf(span, y, shown, lane)),
    lane.log_end === null ? null
      : caret(lane.log_end, y, moved(word(shown.view, "end"), changed.log_end, lane.log_end), "", shown),
    stable === null ? null
      : bar(stable, y, stable === high ? "" : moved("LSO", changed.last_stable_offset, stable), "stable", shown),
    high === null ? null : bar(high, y, flags, "high", shown));
}

/** A transaction over the cells it covers. */
function spanOf(span, y, shown, lane) {
  const end = span.end > span.start ? span.end : lane.log_end || span.start + 1;
  const [x1, x2] = [xOf(Math.max(span.start, shown.from), shown), xOf(Math.max(end, shown.from), shown) - 8];
  return svg("g", { class: span.open ? "span open" : "span" },
    svg("title", "", `${span.text}: ${span.open ? "open since" : "from"} offset ${span.start}`),
    svg("path", { d: `M${x1},${y + 76} v6 H${x2}${span.open ? "" : " v-6"}` }),
    text(x1, y + 94, span.text));
}

const chipWidth = (chip) => Math.max(40, Math.round(chip.length * 8 + 20));

/** What a group member is assigned; beside logs further in, since heads are longer there. */
const chipsOf = ({ chips, kind }) => svg("g", "chips", chips.map((chip, index) => {
  const x = chips.slice(0, index).reduce((sum, before) => sum + chipWidth(before) + 8, left() + (kind ? 24 : 0));
  return svg("g", "chip", svg("rect", { x, y: 25, width: chipWidth(chip), height: 36, rx: 6 }),
    text(x + chipWidth(chip) / 2, 49, chip, { "text-anchor": "middle" }));
}));

/** The left part of a lane: its name, role, epoch, who counts it in sync. */
function headOf(lane, marks, view) {
  const term = word(view, "epoch");
  const [role, ...more] = lane.role_text.split(" (");
  const long = lane.id.length > 3, after = 18 + lane.id.length * (long ? 10 : 15);
  const doubt = more.join(" (").replace(long ? /,.*\)/ : "", long ? ")" : ""); // the epoch has a pill of its own
  const pills = [lane.up || role === "down" ? null : ["down", "dead", "it has crashed"],
    lane.epoch === null ? null : [`${term} ${lane.epoch}`, "epoch", `in ${term} ${lane.epoch}`, colour(lane.epoch)],
    isrPill(lane.in_isr)].filter(Boolean);
  const startOf = (index) => pills.slice(0, index).reduce((x, [phrase]) => x + widthOf(phrase) + 6, 14);
  const own = Object.keys(marks.changed).filter((name) => !DERIVED.has(name)).length;
  const touched = own + marks.added.length + marks.removed.length + marks.replaced.length;
  return svg("g", "head",
    text(14, 36, lane.id, { class: long ? "name long" : "name" }), glyph(lane.role, after + 10, 29),
    text(after + 24, 34, role, { class: "role" }),
    doubt ? text(after + 28 + role.length * 7.6, 34, `(${doubt}`, { class: "stale" }) : null,
    touched ? svg("rect", { x: 0, y: 10, width: 5, height: 66, rx: 2.5, class: "touched" }) : null,
    pills.map((parts, index) => pill(startOf(index), 60, ...parts)));
}

/** Further badges of a lane, as lines of small text at its right end: on a phone to the edge, below its role. */
const badgesOf = (lane, x, width) => Object.entries(lane.badges).filter(([, value]) => value !== "none")
  .map(([name, value], index) => text(narrow.matches ? width - 14 : x, (narrow.matches ? 56 : 34) + index * 15,
    `${name} ${value}`, { class: "badge", "text-anchor": narrow.matches ? "end" : null }));

/** What follows from other lanes, so that a lane in which it differs has not changed itself. */
const DERIVED = new Set(["in_isr", "role_text"]);

const UNMARKED = { added: [], removed: [], replaced: [], changed: {} };

/** Which offsets are drawn: all, or in a long log those at its end and where something happens. */
function windowOf(view, frame) {
  const most = narrow.matches ? 9 : 40;
  const lanes = view.lanes.map((id) => frame.lanes[id]);
  const marks = Object.values(frame.marks);
  const last = (cells) => (cells.length ? cells[cells.length - 1].offset + 1 : 0);
  const end = Math.max(0, ...lanes.map((lane) => last(lane.cells)), ...marks.map((mark) => last(mark.removed)));
  if (view.columns <= most) return { from: 0, columns: view.columns };
  const wanted = lanes.map((lane) => lane.high_watermark).concat(marks.flatMap((mark) => mark.added))
    .filter((offset) => offset !== null);
  const from = Math.max(0, Math.min(end - most / 2, ...wanted.map((offset) => offset - 4)), end - most);
  return { from, columns: Math.min(view.columns, most) };
}

/** The lanes of a frame as SVG. `before` is the frame whose ghost is drawn, or null; `focus` a lane's id, or null. */
function drawLanes(view, frame, { before = null, focus = null, blamed = new Set(), lost = [], id = "now",
  onfocus = null } = {}) {
  const shown = { ...windowOf(view, frame), view };
  const tall = (name) => (view.kind === "transaction" && !isGroup(view, frame.lanes[name]) ? ROW + 18 : ROW) + below();
  const topOf = (row) => TOP + view.lanes.slice(0, row).reduce((sum, name) => sum + tall(name), 0);
  const chips = view.kind === "group";
  const widest = Math.max(0, ...view.lanes.map((name) => frame.lanes[name].chips.reduce((sum, chip) =>
    sum + chipWidth(chip) + 8, 0)));
  const right = left() + (chips ? Math.max(200, widest) : Math.max(widest, (shown.columns + 1) * CELL + 30));
  const badges = narrow.matches ? 0 : Math.max(0, ...view.badges.map((name) => 12 + 7 * Math.max(name.length + 5,
    ...view.lanes.map((lane) => `${name} ${frame.lanes[lane].badges[name] ?? ""}`.length))));
  const [width, height] = [Math.max(right + badges, narrow.matches ? 358 : 0), topOf(view.lanes.length) + 4];
  const offsets = chips ? [] : Array.from({ length: shown.columns }, (_, i) => shown.from + i);
  const scale = Math.max(1, Math.min(1.25, 640 / width));
  const made = svg("svg", { class: "lanes", viewBox: `0 0 ${width} ${height}`, width: width * scale,
    height: height * scale, role: "group", "aria-label": `Lanes, one for each ${view.domain}` },
  hatches(id),
  offsets.length ? text(left() - 16, 17, word(view, "offset"), { class: "axis", "text-anchor": "end" }) : null,
  offsets.map((offset) => text(xOf(offset, shown) + BOX / 2, 17, offset + (view.first ?? 0), {
    class: "axis", "text-anchor": "middle" })),
  view.lanes.map((name, row) => {
    const lane = frame.lanes[name], marks = frame.marks[name] || UNMARKED, step = tall(name);
    const dimmed = focus !== null && focus !== name;
    const classes = ["lane", lane.up ? "" : "crashed", dimmed ? "dimmed" : "", focus === name ? "focused" : "",
      blamed.has(name) ? "blamed" : ""];
    const press = (event) => (event.type === "click" || event.key === "Enter") && onfocus && onfocus(name);
    return svg("g", { class: classes.filter(Boolean).join(" "), transform: `translate(0 ${topOf(row)})`,
      "data-lane": name, role: "button", tabindex: onfocus ? 0 : null, "aria-label": lane.label,
      "aria-pressed": String(focus === name), onclick: press, onkeydown: press },
    svg("rect", { x: 0.5, y: 2.5, width: width - 1, height: step - 5, rx: 8, class: "ground" }),
    lane.up ? null : svg("rect", { x: 0.5, y: 2.5, width: width - 1, height: step - 5, rx: 8,
      fill: `url(#down-${id})` }),
    headOf(lane, marks, view),
    svg("g", { transform: `translate(0 ${below()})` },
      before && !isGroup(view, lane) ? ghostOf(before.lanes[name], lane, shown) : null,
      isGroup(view, lane) ? chipsOf(lane) : logOf(lane, marks, 0, shown, id),
      lost.filter((cell) => cell.lane === name && cell.offset >= shown.from).map((cell) => lostBox(cell, shown))),
    badgesOf(lane, right + 4, width));
  }));
  made.style.minWidth = `${Math.round(width * (narrow.matches ? 0.6 : 0.7))}px`;
  return made;
}

/** What the model draws itself. An image runs no script, loads nothing, and has no style but its own: one that draws in
 * `currentColor` gets the page's, and lies on the page; another one lies on white. */
function drawing({ svg: drawn, says }) {
  const end = drawn.includes("currentColor") ? drawn.lastIndexOf("</svg>") : -1;
  const dressed = end < 0 ? drawn : `${drawn.slice(0, end)}<style>:root { color: ${
    getComputedStyle(document.body).color} }</style>${drawn.slice(end)}`;
  return html("img", { class: end < 0 ? "drawing own" : "drawing", alt: says || "the model's own picture",
    src: `data:image/svg+xml,${encodeURIComponent(dressed)}` });
}

/** Faint outlines of what a lane was, where it is not any more. */
function ghostOf(was, lane, shown) {
  const moved = (name) => was[name] !== null && was[name] !== lane[name];
  return svg("g", { class: "ghost", "aria-hidden": "true" },
    was.cells.filter((cell) => cell.offset >= shown.from).map((cell) =>
      svg("rect", { x: xOf(cell.offset, shown) - 3, y: 22, width: BOX + 6, height: TALL + 6, rx: 6 })),
    moved("high_watermark") ? bar(was.high_watermark, 0, "", "was", shown) : null,
    moved("log_end") ? caret(was.log_end, 0, "", "was", shown) : null);
}

/** The same as a table: a row for each lane, a column for each thing that is drawn. */
function tableOfLanes(view, frame) {
  const log = view.kind !== "group";
  const heads = [view.domain, "state", word(view, "epoch"), "in ISR",
    ...(log ? ["log", word(view, "high watermark"), "log end", ...(view.kind === "transaction" ? ["partitions"] : [])]
    : ["assigned"]),
    ...(view.kind === "transaction" ? ["last stable offset", "transactions"] : []), ...view.badges, "changed"];
  const rows = view.lanes.map((id) => {
    const lane = frame.lanes[id], marks = frame.marks[id] || UNMARKED;
    const isr = isrPill(lane.in_isr);
    const cells = isGroup(view, lane) ? "" : lane.cells.map((cell) => cell.text).join(" ") || "empty";
    const entry = (cell) => `${cell.text} at offset ${cell.offset + (view.first ?? 0)}`;
    const news = [...lane.cells.filter((cell) => marks.added.includes(cell.offset)).map((cell) => `+ ${entry(cell)}`),
      ...marks.removed.map((cell) => `− ${entry(cell)}`),
      ...marks.replaced.map((cell) => `was ${entry(cell)}`), ...Object.entries(marks.changed).map(([name, was]) =>
        `${name.replaceAll("_", " ")} was ${said(was)}`)];
    return [id, lane.up ? lane.role_text : `down${lane.role_text ? `, ${lane.role_text}` : ""}`, lane.epoch ?? "",
      isr ? isr[2] : "", ...(log ? [cells, lane.high_watermark ?? "", lane.log_end ?? "",
        ...(view.kind === "transaction" ? [lane.chips.join(", ")] : [])] : [lane.chips.join(", ")]),
      ...(view.kind === "transaction" ? [lane.last_stable_offset ?? "", lane.spans.map((span) => span.text).join(", ")]
        : []),
      ...view.badges.map((name) => lane.badges[name] ?? ""), news.join("; ")];
  });
  return html("table", "lane-table",
    html("thead", "", html("tr", "", heads.map((head) => html("th", { scope: "col" }, head)))),
    html("tbody", "", rows.map(([id, ...cells]) =>
      html("tr", "", html("th", { scope: "row" }, id), cells.map((cell) => html("td", "", String(cell)))))));
}

/** The abstract model of a refinement as a lane: which of its steps this step is, and its state after it. */
function abstractLane(lane, of, position) {
  const number = of.number(position), { step, state, before } = abstractAt(lane, number);
  const wrong = number === 0 ? `no initial state of ${lane.model}` : `no step of ${lane.model} that it may be`;
  const doing = step === null ? wrong : step === undefined ? (number === 0 ? "begins here" : "stutters") : step;
  return html("section", { class: step === null ? "abstract wrong" : "abstract", "aria-label":
    `abstract model ${lane.model}: ${doing}` },
  html("h3", "", lane.model, html("span", "muted", ` by ${lane.property}: `), html("em", "doing", doing)),
  state === null ? html("p", "muted", "Its state cannot be made here.")
    : html("table", "plain", html("tbody", "", lane.fields.map(({ name, type, says }) =>
      html("tr", { class: before && !same(before[name], state[name]) ? "touched" : "", title: says },
        html("th", { scope: "row" }, name), html("td", "", said(state[name], type)))))));
}
