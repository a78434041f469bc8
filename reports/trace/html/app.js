// The page: where one is, what follows from it, keys, links, dialogs.

const $ = (id) => document.getElementById(id);
const VIRTUAL = 500, ROW_HEIGHT = 30, PLAY_EVERY = 900, MOST_ALIKE = 3, STAYS = "nothing more happens, for ever";

const page = JSON.parse($("trace-page").textContent);
const traces = page.traces.map((extras) =>
  new Trace(pictured(JSON.parse($(extras.id).textContent), page.parts), extras));
const around = $("around") ? new Around(JSON.parse($("around").textContent)) : null;
if (around && traces[0].total === traces[0].last) traces[0].nodes = around.document.path;
const BOTH = ["As it is", "With the repair"];
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const at = { trace: 0, position: 0, focus: null, changedOnly: true, ghost: false, pin: null, folded: false,
  table: false, all: false, range: null, kind: "", member: "", theme: "system", properties: true,
  messages: true, found: [], playing: null };
let trace, chart, strip, items, common, linkTimer, written = "";
/** Of a page that has a server: what is asked now, and the property that is looked for. */
const asked = new Set();
let looked = null;

// --- moving about ----------------------------------------------------------------------------------------------------

/** Goes to a position and announces what is there. */
function go(position, { quietly = false } = {}) {
  at.position = Math.max(0, Math.min(trace.last, position));
  if (at.range !== null && (at.position < at.range[0] || at.position > at.range[1])) zoomed(null);
  render();
  if (!quietly) announce(spoken());
}

function move(direction) {
  if (direction > 0 && at.position === trace.last && trace.goesRound) return go(trace.loop);
  const here = items.findIndex((item) => item.last >= at.position);
  const item = items[here + direction];
  return item ? go(direction > 0 ? item.last : Math.max(item.last, 0))
    : announce(direction < 0 ? "the first state" : trace.loop === null ? "the last step" : STAYS);
}

/** The next or previous step that changes the focused lane. */
function moveInLane(direction) {
  if (at.focus === null) return announce("focus a lane first: press its number");
  const found = trace.find(at.position, direction, (position) => trace.touches(position, at.focus));
  return found === null ? announce(`no other step changes ${at.focus} that way`) : go(found);
}

/** The first state in which something fails: what the trace is about, or, of a run that is about nothing (a branch),
 * any property. */
const failure = () => (trace.failing ?? (trace.document.failure ? trace.last : trace.document.property ? null
  : [...Array(trace.last + 1).keys()]
     .find((at) => strip.rows.some((row) => strip.words(row, at) === "fails")) ?? null));

const moveToFailure = () => (failure() !== null ? go(failure()) : announce("no step fails in this run"));

/** What a screen reader hears of a position. */
function spoken() {
  const step = trace.step(at.position);
  const cells = step ? new Set(step.changed.map(cellOf)).size : 0;
  return [`State ${trace.number(at.position)} of ${trace.total}. ${trace.sentence(at.position)}`,
    step ? `${count(cells, "field")} changed.` : "", step && step.kind === "fault" ? "A fault." : "",
    at.position === trace.failing ? `${trace.document.property.name} fails.` : ""].filter(Boolean).join(" ");
}

const announce = (words) => { $("live").textContent = words; };

/** Says something on the screen too, for a moment. */
function toast(words) {
  announce(words);
  $("toast").textContent = words;
  $("toast").classList.add("shown");
  setTimeout(() => $("toast").classList.remove("shown"), 1800);
}

function play() {
  if (at.playing === null && calm.matches) return toast("play is off: the system asks for reduced motion");
  clearInterval(at.playing);
  const onward = () => (at.position === trace.last && !trace.goesRound ? play() : move(1));
  at.playing = at.playing === null ? setInterval(onward, PLAY_EVERY) : null;
  $("play").textContent = at.playing === null ? "▶" : "❚❚";
  $("play").setAttribute("aria-label", at.playing === null ? "play" : "pause");
  return toast(at.playing === null ? "paused" : "playing");
}

function focusLane(id) {
  at.focus = at.focus === id ? null : id;
  render();
  announce(at.focus === null ? "all lanes" : `lane ${at.focus}`);
}

const hasLanes = () => ![undefined, "drawing"].includes(trace.document.view?.kind);

/** Who can be looked at alone, from top to bottom. */
const members = () => (hasLanes() ? trace.document.view.lanes : trace.document.lanes.map((lane) => lane.id));

function focusNumber(number) {
  const ids = members();
  if (number > ids.length) return announce(`there are ${count(ids.length, "lane")}`);
  at.focus = null;
  return focusLane(number === 0 ? null : ids[number - 1]);
}

/** Switches something on or off and says so. */
function toggle(name, on, off) {
  at[name] = !at[name];
  if (name === "folded") fold();
  render();
  announce(at[name] ? on : off);
}

// --- the list of steps -----------------------------------------------------------------------------------------------

/** Shows a range of positions alone, or with null the whole run again. */
function zoomed(range) {
  at.range = range !== null && range[0] < range[1] ? range : null;
  strip.zoom(...(at.range ?? [0, trace.last]));
  drawStrip();
  fold();
}

/** The same, by a key: where one is becomes the first or the last state that is shown. */
function zoom(range) {
  if (range !== null && range[0] >= range[1]) return announce("a range has two states at least");
  zoomed(range);
  render();
  return announce(at.range === null ? "the whole run"
    : `states ${trace.number(at.range[0])} to ${trace.number(at.range[1])}`);
}

/** The row of states, beside names as wide as the longest, where there is room. */
function drawStrip() {
  const room = $("truth").clientWidth, longest = Math.max(...strip.rows.map((row) => row.shown.length));
  const names = narrow.matches ? 120 : Math.max(260, Math.min(longest * 7 + 30, room / 4));
  $("truth").style.setProperty("--names", `${names}px`);
  strip.draw(room - names - 44);
}

/** Whether a step is to be shown, by its kind and by the member that it is about. */
const wanted = (position) => position === trace.failing || ((at.kind === "" || trace.step(position).kind === at.kind)
  && (at.member === "" || trace.touches(position, at.member)));

/** The rows of the list: a state each, or with runs of one lane folded, the last state of a run. What is filtered out
 * is not there, but for both ends. */
function fold() {
  const filtered = at.kind !== "" || at.member !== "", runs = at.folded && !filtered ? trace.runs() : [];
  const [from, to] = at.range ?? [0, trace.last];
  items = [];
  for (let position = from; position <= to; position++) {
    if (position > from && position < to && filtered && !wanted(position)) continue;
    if (position > from && runs.some(([first, last]) => first < position && position <= last)) {
      items[items.length - 1].last = position;
    } else items.push({ first: position, last: position });
  }
  chart.use(items.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
    .filter((position) => position > 0));
  $("steps").replaceChildren();
  $("steps").drawn = null;
}

/** The choices of a filter: what this run has. */
function offerFilters() {
  const kinds = [...new Set(trace.steps.map((step) => step.kind))];
  const known = new Set(trace.steps.flatMap((step) => [step.lane,
    ...step.writes.map((cell) => cell.match(/\[([^\]]+)\]$/)?.[1])]));
  const options = (host, all, values) => {
    host.replaceChildren(html("option", { value: "" }, all),
      ...values.map((value) => html("option", { value }, value)));
    host.hidden = values.length < 2;
  };
  Object.assign(at, { kind: "", member: "", range: null });
  options($("kind"), "all kinds", kinds);
  options($("member"), "all members", members().filter((id) => known.has(id)));
}

function filterBy(name, value) {
  at[name] = value;
  fold();
  go(items.find((item) => item.last >= at.position).last, { quietly: true });
  announce(`${count(items.length, "row")} shown`);
}

function stepRow(item, index) {
  const step = trace.step(item.first), position = item.last;
  const several = item.last > item.first;
  const phrase = !several ? trace.sentence(position)
    : `${count(item.last - item.first + 1, "step")} of ${step.lane}: ${step.step} … ${trace.step(position).step}`;
  const kind = step && step.kind !== "protocol" && !several ? step.kind : "";
  const classes = [kind, trace.loop !== null && position > trace.loop ? "looped" : "",
    at.found.includes(position) ? "found" : "", position === trace.failing ? "fails" : ""].filter(Boolean).join(" ");
  return html("li", { id: `step-${position}`, role: "option", class: classes, "aria-selected": "false",
    "aria-posinset": index + 1, "aria-setsize": items.length, title: phrase, onclick: () => go(position) },
  html("span", "number", several ? `${trace.number(item.first)}–${trace.number(position)}` : trace.number(position)),
  html("span", "said",
    trace.isAfterGap(position) ? html("em", "tag gap", trace.document.truncated.says) : null, phrase,
    position === trace.loop ? html("em", "tag loop", trace.goesRound ? "repeats for ever after this" : STAYS) : null,
    common !== null && position === common + 1 ? html("em", "tag differs", "≠ first difference") : null),
  kind ? html("span", "tag", kind) : null,
  position === trace.failing ? html("span", { class: "tag cross", title: `${trace.document.property.name} fails` },
    "✗") : null);
}

/** Draws the rows: all of them, or of a long list those in sight. */
function renderSteps() {
  const list = $("steps"), virtual = items.length > VIRTUAL;
  const here = items.findIndex((item) => item.last >= at.position);
  list.classList.toggle("virtual", virtual);
  if (!virtual && list.drawn !== "all") {
    list.replaceChildren(...items.map(stepRow));
    list.drawn = "all";
  }
  if (virtual) {
    const room = list.clientHeight || 600, top = here * ROW_HEIGHT;
    const inSight = top >= list.scrollTop && top + ROW_HEIGHT <= list.scrollTop + room;
    renderSlice(inSight ? list.scrollTop : Math.max(0, top - room / 2), room);
  }
  list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  const row = $(`step-${items[here].last}`);
  if (row && items[here].first <= at.position) row.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", `step-${items[here].last}`);
}

/** Of a long list the rows near a place, and empty room for the others. */
function renderSlice(scrolled, room) {
  const list = $("steps");
  const first = Math.max(0, Math.floor(scrolled / ROW_HEIGHT) - 10);
  const last = Math.min(items.length, first + Math.ceil(room / ROW_HEIGHT) + 20);
  if (list.drawn === `${first} ${last}`) return;
  const space = (rows) => {
    const made = html("li", { role: "presentation", class: "space" });
    made.style.height = `${rows * ROW_HEIGHT}px`;
    return made;
  };
  const rows = items.slice(first, last).map((item, index) => stepRow(item, first + index));
  list.replaceChildren(space(first), ...rows, space(items.length - last));
  list.drawn = `${first} ${last}`;
  list.scrollTop = scrolled;
  $(list.getAttribute("aria-activedescendant"))?.setAttribute("aria-selected", "true");
}

/** Scrolls a box, and nothing else, so far that a part of it is in sight; sideways only if the part is no wider. */
function reveal(box, part) {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 8;
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 8;
  if (inner.width > outer.width) return;
  if (inner.left < outer.left) box.scrollLeft -= outer.left - inner.left + 8;
  if (inner.right > outer.right) box.scrollLeft += inner.right - outer.right + 8;
}

function search(direction) {
  at.found = trace.matches($("search").value);
  const found = at.found.length === 1 ? "1 match" : `${digits.format(at.found.length)} matches`;
  $("found").textContent = $("search").value.trim() ? found : "";
  $("steps").drawn = null;
  const next = direction > 0 ? at.found.find((hit) => hit > at.position) ?? at.found[0]
    : at.found.findLast((hit) => hit < at.position) ?? at.found[at.found.length - 1];
  if (direction && next !== undefined) go(next);
  else renderSteps();
  if (direction === 0) announce($("found").textContent);
}

// --- the picture -----------------------------------------------------------------------------------------------------

function pane(of, position, title, id) {
  const frame = of.frame(position), { view } = of.document;
  const fails = position === of.failing ? of.document.property.fails.reads : [];
  const blamed = new Set(fails.map((cell) => (cell.match(/\[([^\]]+)\]/) || [])[1]));
  const before = at.ghost && position > 0 && !of.isAfterGap(position) ? of.frame(position - 1) : null;
  const drawn = view?.kind === "drawing";
  const board = frame && frame.board && !drawn ? Object.entries(frame.board) : [];
  return html("div", "pane",
    title ? html("h3", "", title) : null,
    board.length ? html("dl", "board", board.map(([name, value]) =>
      html("div", "", html("dt", "", name.replaceAll("_", " ")), html("dd", "", said(value))))) : null,
    at.all ? tableOfStates(of, position, go) : frame === null ? fieldTable(of, position)
      : drawn ? drawing(frame.board) : at.table ? tableOfLanes(view, frame)
        : drawLanes(view, frame, { before, focus: at.focus, blamed, id, onfocus: focusLane,
          lost: (of.document.lost || []).filter((cell) => cell.since <= of.number(position)) }),
    (of.document.abstract || []).map((lane) => abstractLane(lane, of, position)));
}

/** The fields of a state, what the step changed marked; of maps a row for each key, if asked for. */
function fieldTable(of, position, { keys = false, wanted = "" } = {}) {
  const step = of.step(position), values = of.state(position);
  const touched = new Set((step ? step.changed : []).map((change) =>
    (keys ? cellOf(change).match(/^[^[.]+(\[[^\]]*\])?/) : change.match(/^\w+/))[0]));
  const row = (cell, type, value, says) => (`${cell} ${said(value, type)}`.toLowerCase().includes(wanted)
    ? html("tr", { class: touched.has(cell) ? "touched" : "", title: says }, html("th", { scope: "row" }, cell),
      html("td", "", said(value, type)))
    : null);
  const rows = of.document.fields.flatMap(({ name, type, says }) => (keys && type.kind === "map"
    ? Object.entries(values[name]).map(([key, held]) => row(`${name}[${key}]`, type.value, held, says))
      : [row(name, type, values[name], says)]));
  return html("table", { class: keys ? "" : "lane-table plain" }, html("tbody", "", rows));
}

/** The other side of a comparison: a pinned state, or the other trace at the same place. */
function pinned() {
  if (at.pin === null) return null;
  const of = traces[at.pin.trace], { aligned } = page;
  const beside = !aligned ? at.position : at.trace === 0 ? aligned[at.position]
    : aligned.findLastIndex((position) => position <= at.position);
  return { of, position: Math.min(at.pin.position ?? beside, of.last) };
}

function pin() {
  if (at.pin !== null) at.pin = null;
  else at.pin = traces.length > 1 ? { trace: (at.trace + 1) % traces.length, position: null }
    : { trace: at.trace, position: at.position };
  render();
  if (at.pin === null) return announce("nothing is pinned");
  return announce(traces.length > 1 ? "beside the other trace" : `state ${trace.number(at.position)} is pinned`);
}

function renderPicture() {
  const step = trace.step(at.position), other = pinned();
  $("now-title").textContent = step === null ? `State 0 of ${trace.total}`
    : `Step ${step.i} of ${trace.total}${step.kind === "protocol" ? "" : ` · ${step.kind}`}`;
  $("sentence").textContent = trace.sentence(at.position);
  $("now").className = step ? step.kind : "";
  const number = other && other.of.number(other.position);
  const title = other && (other.of === trace ? `Pinned: state ${number}`
    : `${other.of.document.title}, state ${number}`);
  const heads = !other ? ["", ""] : page.aligned ? [...(at.trace ? BOTH.toReversed() : BOTH)]
    : [`State ${trace.number(at.position)}`, title];
  const now = pane(trace, at.position, heads[0], "now");
  const panes = other ? [pane(other.of, other.position, heads[1], "pin"), now] : [now];
  patch($("panes"), ...(page.aligned && at.trace === 0 ? panes.reverse() : panes));
  $("legend").hidden = !hasLanes() || at.table || at.all;
  $("table").hidden = !hasLanes();
  $("all").setAttribute("aria-pressed", String(at.all));
}

// --- the inspector ---------------------------------------------------------------------------------------------------

/** The cell of a change in words: `log[B]` of `log[B]: - Record(id=0, epoch=1) at 0`. */
const cellOf = (change) => change.slice(0, change.indexOf(": "));

const changeRow = (sign, phrase) => html("li", { class: { "+": "added", "-": "removed" }[sign] || "changed" },
  html("span", { class: "sign", "aria-hidden": "true" }, sign === "-" ? "−" : sign), phrase);

/** Rows of changes under their cells; each row is [cell, sign, words]. */
function changeTree(rows) {
  const cells = [...new Set(rows.map(([cell]) => cell))];
  return html("ul", "tree", cells.map((cell) => html("li", "", html("b", "", cell),
    html("ul", "", rows.filter(([owner]) => owner === cell).map(([, sign, phrase]) => changeRow(sign, phrase))))));
}

/** A change as the document words it, as [cell, sign, words]. */
function rowOf(change) {
  const [cell, phrase] = [cellOf(change), change.slice(change.indexOf(": ") + 2)];
  return "+-".includes(phrase[0]) && phrase[1] === " " ? [cell, phrase[0], phrase.slice(2)]
    : [cell, "~", phrase.replace(" -> ", " → ")];
}

function renderChanges() {
  const step = trace.step(at.position), other = pinned();
  const parts = step === null ? [html("h2", "", trace.firstState), html("p", "muted", "Nothing has happened yet.")]
    : [html("h2", "", `Changed in step ${step.i}`), step.changed.length ? changeTree(step.changed.map(rowOf))
      : html("p", "muted", "Nothing.")];
  if (other !== null && !trace.document.cluster) {
    const rows = trace.compared(other.of.state(other.position), trace.state(at.position)).map((row) => {
      const phrase = ["before", "after"].filter((side) => side in row).map((side) => said(row[side], row.type))
        .join(" → ");
      return [row.cell, row.sign, row.at === undefined ? phrase : `${phrase} at ${row.at}`];
    });
    parts.push(html("h2", "", "Other than in the pinned state"), rows.length ? changeTree(rows)
      : html("p", "muted", "Nothing."));
  }
  if (step && step.where && !trace.document.cluster) {
    parts.push(html("p", "muted small", `${step.step} · ${step.where.file}:${step.where.line}`));
  }
  patch($("changes"), ...parts);
}

function renderFields() {
  $("fields-panel").hidden = at.changedOnly;
  if (!at.changedOnly) patch($("fields"), fieldTable(trace, at.position,
    { keys: true, wanted: $("filter").value.trim().toLowerCase() }));
}

/** A reason, and the steps that it stops. */
const choice = (steps, why, where) => html("div", "choice",
  html("code", { title: steps.join("; ") }, steps.slice(0, MOST_ALIKE).join("; "),
    steps.length > MOST_ALIKE ? ` and ${steps.length - MOST_ALIKE} more` : null),
  html("span", { title: where ? `${where.file}:${where.line}` : null }, why.replace(/^disabled: /, "")));

// --- other steps -----------------------------------------------------------------------------------------------------

/** Takes a step that can happen here: the next one of this run, or another one, with which a branch begins. */
function take(index) {
  const step = around.next(trace.nodes[at.position])[index], { origin } = trace;
  if (at.position < trace.last && trace.step(at.position + 1).step === step.step) return go(at.position + 1);
  const grows = origin && at.position >= origin.position;
  const [root, from, taken] = grows
    ? [origin.root, origin.position, [...origin.taken.slice(0, at.position - origin.position), index]]
    : [origin ? origin.root : at.trace, at.position, [index]];
  return show(root, from, taken, grows && at.position === trace.last);
}

/** Shows a branch: in the tab that is open where that one `grows`, else in one of its own. False if there is none. */
function show(root, from, taken, grows = false) {
  const wanted = branchText({ root, position: from, taken });
  const known = traces.findIndex((one) => one.origin && branchText(one.origin) === wanted);
  const made = known < 0 && traces[root]?.nodes && from <= traces[root].last
    ? grown(around, traces[root], root, from, taken) : null;
  if (known < 0 && !made) return false;
  const index = known >= 0 ? known : grows ? at.trace : traces.length;
  if (made) traces[index] = made;
  choose(index);
  go(from + taken.length);
  return true;
}

/** The tabs of a page in which other steps can be taken: the trace, and each branch. */
function renderTabs() {
  const name = (one, index) => (one.origin ? `branch ${index} (after step ${one.origin.position})` : "trace");
  $("branches").replaceChildren(...(around && traces.length > 1 ? traces : []).map((one, index) =>
    html("button", { role: "tab", "aria-selected": String(index === at.trace), "aria-controls": "picture",
      title: one.steps.map((step) => step.step).join("; "),
      onclick: () => { choose(index); go(Math.min(at.position, traces[index].last)); } }, name(one, index))));
  $("branches").hidden = !around || traces.length < 2;
}

/** What a step has that others of the same sentence have not: `(successor: broker 2)`. */
const withWhom = ({ args }) => html("span", "muted", `(${Object.entries(args).map(([name, value]) =>
  `${name.replaceAll("_", " ")}: ${value}`).join(", ")})`);

/** What to do where this page ends. */
function goesOn() {
  const { saved } = page, command = around.onward(trace.steps.slice(0, at.position), saved);
  const says = `To go on from here in your browser${saved ? ", in the folder of this page" : ""}:`;
  return [html("p", "muted", `What can happen here is not in this page. ${says}`),
    html("pre", "", html("code", "", command)),
  html("button", { onclick: () => copy(command, "the command") }, "copy")];
}

/** What can happen here, as sentences to choose from. */
function choosable(steps) {
  const next = at.position < trace.last ? trace.step(at.position + 1).step : null, { cluster } = trace.document;
  if (steps === null) {
    if (around.live) ask(`next?node=${trace.nodes[at.position]}`);
    return around.live ? [html("p", "muted", "Asking what can happen here …")] : goesOn();
  }
  const twin = (step) => steps.some((other) => other !== step && other.sentence === step.sentence);
  const one = (step, index) => html("li", `${step.kind} ${step.step === next ? "taken" : ""}`,
    html("button",
      { class: "step", title: cluster ? null : step.step, disabled: step.to === null, onclick: () => take(index) },
      step.sentence, twin(step) ? [" ", cluster ? withWhom(step) : html("code", "", step.step)] : null),
    step.kind === "protocol" ? null : html("em", "tag", step.kind),
    step.step === next ? html("em", "tag", "taken") : null,
    step.to === null ? html("em", "tag", "breaks the model's types") : null);
  return [steps.length ? html("ul", "plain steps", steps.map(one)) : html("p", "muted", "Nothing.")];
}

/** Where other steps can be chosen: two runs that stand side by side step by step have no place for a third. */
const chosenElsewhere = () => html("p", "muted",
  "This page compares two runs step by step, so no other step can be chosen here. ",
  "To choose other steps and save them, open ",
  html("a", { href: page.alone }, "the page of this scenario without its repair"), ".");

function renderChoices() {
  const choices = trace.choices(at.position), { failure, disabled } = trace.document;
  const cluster = trace.document.cluster, following = at.position < trace.last ? trace.step(at.position + 1) : {};
  const next = cluster ? following.sentence : following.step;
  const could = (step) => html("li", { class: step === next ? "taken" : "" }, cluster ? step : html("code", "", step),
    step === next ? html("em", "tag", "taken") : null);
  const stuck = choices === null && failure && at.position === trace.last ? failure.disabled : [];
  const known = around && trace.nodes, steps = known ? around.next(trace.nodes[at.position]) : null;
  if (steps || (known && (around.live || choices === null))) {
    const why = choices === null ? [] : choices.disabled;
    return patch($("choices"), html("h2", "", "Could happen here"), ...choosable(steps),
      why.length ? html("h2", "", "Why other steps cannot happen") : "",
      ...why.map(([reason, stopped]) => choice(stopped, reason.why, reason.where)),
      ...stuck.map(({ step, why: reason }) => choice([step], reason)));
  }
  const parts = choices === null ? [] : [html("h2", "", "Could happen here"), choices.enabled.length
    ? html("ul", "plain", choices.enabled.map(could)) : html("p", "muted", "Nothing."),
  choices.disabled.length ? html("h2", "", "Why other steps cannot happen") : "",
  ...choices.disabled.map(([reason, steps]) =>
    choice(steps, reason.why, reason.where))];
  patch($("choices"), page.alone ? chosenElsewhere() : "", ...parts,
    ...stuck.map(({ step, why }) => choice([step], why)),
    disabled.truncated ? html("p", "muted small", disabled.truncated) : "");
}

function renderProperties() {
  for (const id of ["properties", "truth"]) $(id).hidden = !at.properties;
  if (!at.properties) return;
  const sign = { holds: "✓", reached: "✓", fails: "✗" };
  patch($("properties"), html("h2", "", "Properties here"), html("ul", "plain", strip.rows.map((row) => {
    const words = strip.words(row, at.position);
    return html("li", { class: words === "fails" ? "failing" : "", title: row.says },
      `${sign[words] || "–"} ${row.shown} `, html("span", "muted", words), around?.live && trace.nodes
        ? [" ", html("button", { class: "link", "data-go": row.name,
          onclick: (event) => goTo(event.currentTarget.dataset.go) }, looked === row.name ? "stop" : "go to")] : null);
  })), ...strip.watched.map(([said, values]) => html("p", "watched", html("code", "", said), " = ",
    values[at.position])));
  $("watch-panel").hidden = !around?.live || !trace.nodes;
}

// --- what does not change from step to step --------------------------------------------------------------------------

/** A text in which each "step 5" goes there, and code between backticks is code. What stands around a link without a
 * space stays on its line. */
const linked = (phrase) => phrase.split(/(\(?\bsteps? \d+\b[).,;:]*|`[^`]+`)/).map((part, index) => {
  if (index % 2 === 0) return part;
  if (part.startsWith("`")) return html("code", "", part.slice(1, -1));
  const [, before, step, after] = part.match(/^(\(?)(.*\d)(.*)$/);
  return html("span", "together", before, html("button", { class: "link",
    onclick: () => go(trace.positionOf(Number(step.match(/\d+/)))) }, step), after);
});

function reasons(fails) {
  const rows = [];
  for (let reason = fails; reason; reason = reason.because) {
    const values = Object.entries(reason.witness).map(([name, value]) => `${name} = ${said(value)}`).join(", ");
    rows.push(html("p", "", html("code", "", reason.conjunct), " is false",
      values ? html("span", "muted", ` where ${values}`) : null));
  }
  return html("details", { open: trace.document.argument.length === 0 },
    html("summary", "", "The condition that is false"), rows);
}

function renderArgument() {
  const { argument, property, failure } = trace.document;
  const title = argument.find((sentence) => sentence.role === "title");
  const rest = argument.filter((sentence) => sentence !== title && sentence.role !== "short");
  const plain = failure ? "What went wrong" : property ? `Why ${property.name} is false` : "";
  $("why-title").textContent = title ? title.text : plain;
  const parts = rest.map((sentence) => html("p", { class: sentence.role }, linked(sentence.text),
    sentence.step === null || sentence.role === "however" || /\bstep \d/.test(sentence.text) ? ""
      : linked(` (step ${sentence.step})`)));
  if (failure) {
    const then = `Then step ${trace.total + 1} breaks it: ${failure.sentence}`;
    if (failure.step) parts.push(html("p", "event", then), html("p", "", html("code", "", failure.step)));
    const where = failure.where ? ` (${failure.where})` : "";
    parts.push(html("p", "however", failure.message, html("span", "muted", where)));
  }
  if (property && property.fails && !trace.document.cluster) parts.push(reasons(property.fails));
  $("argument").replaceChildren(...parts);
  $("why").hidden = parts.length === 0;
}

const VERDICTS = { counterexample: (name) => `✗ ${name} fails`, witness: (name) => `✓ witness for ${name}`,
  deadlock: () => "✗ deadlock", error: () => "✗ the model breaks its own types", run: () => "a run" };

function renderHeader() {
  const { document: doc } = trace, name = doc.property ? doc.property.name : "";
  document.body.dataset.kind = doc.kind;
  const unreached = doc.begins === "induction" ? "✗ counterexample to induction" : null;
  $("verdict").textContent = doc.cluster?.verdict ?? unreached ?? VERDICTS[doc.kind](name);
  $("model").textContent = doc.cluster?.title ?? doc.model;
  $("says").textContent = doc.cluster ? "" : unreached ? doc.title : doc.property ? doc.property.says : doc.says;
  const short = doc.argument.find((sentence) => sentence.role === "short");
  $("short").replaceChildren(...(short ? linked(short.text) : []));
  $("short").hidden = !short;
  $("failing").disabled = failure() === null;
  const notes = [doc.truncated ? doc.truncated.says : null, page.beside, ...doc.notes].filter(Boolean);
  if (at.stale) notes.unshift("This link was made for another trace; it shows this one from its start.");
  $("notice").textContent = notes.map((note) => (note.endsWith(".") ? note : `${note}.`)).join(" ");
  $("notice").hidden = $("notice").textContent === "";
  const pairs = (values) => Object.entries(values).map(([key, value]) => `${key}=${value}`).join(", ") || "none";
  const facts = { model: doc.says, bounds: pairs(doc.bounds), budgets: pairs(doc.budgets), engine: doc.engine,
    tool: doc.tool, commit: doc.commit ?? "unknown", trace: `${trace.digest} (first digits of its SHA-256)`,
      replay: trace.replay, ...(doc.cluster ? { "in the line that replays it": doc.cluster.letters } : {}) };
  $("facts").replaceChildren(...Object.entries(facts).flatMap(([key, value]) =>
    [html("dt", "", key), html("dd", "", value)]));
  $("legend").replaceChildren(...legend(doc.view));
  $("traces").hidden = traces.length < 2 || around !== null;
  $("traces").value = String(at.trace);
}

const legend = (view) => (!hasLanes() || view.kind === "group" ? []
  : [["high", `${word(view, "HW")}, ${word(view, "high watermark")}: what is left of it is ${
    view.kind === "transaction" ? "replicated" : "committed, as this lane knows"}`],
    ...(view.kind === "transaction"
      ? [["stable", "LSO, last stable offset: readers of committed records read up to it"]] : []),
    ["added", "added in this step"],
    ["removed", "removed in this step"], ...(trace.document.lost ? [["lost", "lost: this log should have it"]] : []),
    ["blamed", "involved in the failure"],
    ["number",
      view.words?.cell
        ?? `colour and small number: ${word(view, "epoch")}; large: ${view.words ? "entry" : "record"}`]]
    .map(([kind, words]) => html("span", `key ${kind}`, html("i", { "aria-hidden": "true" }), words)));

/** All of the run on paper: words, then each step with what it changed. */
function renderPaper() {
  const doc = trace.document;
  const drawn = doc.view ? pane(trace, at.position, `State ${trace.number(at.position)}`, "paper") : "";
  $("paper").replaceChildren(html("h1", "", doc.title), html("p", "", $("says").textContent),
    html("p", "", html("b", "", $("short").textContent)),
    html("h2", "", $("why-title").textContent), ...$("argument").cloneNode(true).childNodes, drawn,
    html("ol", "", trace.steps.map((step, index) => html("li", { value: step.i, class: step.kind }, step.sentence,
      index + 1 === trace.failing ? html("b", "", ` ✗ ${doc.property.name} fails`) : null,
      html("ul", "", step.changed.map((change) => html("li", "", change)))))),
    ...(doc.replay === null ? [] : [html("p", "", "Replay: ", html("code", "", doc.replay))]));
}

// --- all together ----------------------------------------------------------------------------------------------------

/** Draws what there is at a position. Sizes are asked for first: once something is changed, asking for one makes the
 * browser lay the page out at once. */
function render() {
  const room = { chart: $("chart").clientHeight, scrolled: $("chart").scrollTop };
  renderSteps();
  renderPicture();
  renderChanges();
  renderFields();
  renderChoices();
  renderProperties();
  strip.show(at.position);
  $("messages").hidden = !at.messages || chart.columns.length === 0;
  if (!$("messages").hidden) {
    chart.show(at.position, at.focus);
    const flying = chart.inFlight(at.position).length;
    $("flight").textContent = trace.document.messages.length ? `${flying === 0 ? "none" : flying} in flight` : "";
  }
  $("where").textContent = `${trace.number(at.position)} / ${trace.total}`;
  $("table").setAttribute("aria-pressed", String(at.table));
  if (items.length <= VIRTUAL) reveal($("steps"), $($("steps").getAttribute("aria-activedescendant")));
  const states = $("panes").querySelector(".states");
  if (states) reveal(states, states.querySelector("[aria-current]"));
  if ($("graph")) renderGraph();
  if (!$("messages").hidden) chart.reveal(at.position, room.scrolled, room.chart);
  clearTimeout(linkTimer);
  linkTimer = setTimeout(() => {
    written = link();
    // In a frame without an address (a notebook's) a link would be one of the page around it, and load that here.
    if (location.protocol !== "about:") location.replace(written);
  }, 120);
}

const link = () => writeLink({ ...at, branch: trace.origin ? branchText(trace.origin) : null,
  step: trace.number(at.position), digest: trace.digest });

/** Where a page without a place in its address opens: at what is wrong, or at what was reached. */
const opening = () => trace.failing ?? (trace.document.kind === "run" ? 0 : trace.last);

function choose(index) {
  const both = page.aligned ? { trace: 1 - index, position: null } : null;
  Object.assign(at, { trace: index, found: [], pin: both, focus: null });
  $("panes").replaceChildren();
  trace = traces[index];
  offerFilters();
  common = traces.length > 1 ? trace.commonWith(traces[(index + 1) % traces.length]) : null;
  chart = new Chart(trace, $("chart"), go);
  strip = new Strip(trace, $("truth"), go);
  strip.onrange = zoom;
  fold();
  renderHeader();
  renderTabs();
  renderArgument();
  drawStrip();
}

/** Goes where the address says. */
function follow() {
  const to = readLink(location.hash);
  const index = to.trace < traces.length ? to.trace : 0;
  if (trace === undefined || index !== at.trace) choose(index);
  const stale = to.digest !== null && to.digest !== trace.digest;
  Object.assign(at, { changedOnly: to.changedOnly, theme: to.theme, stale });
  at.focus = trace.document.lanes.some((lane) => lane.id === to.focus) ? to.focus : null;
  dress();
  renderHeader();
  if (to.branch && around && !stale && show(to.branch[0], to.branch[1], to.branch.slice(2))) {
    if (to.step !== null) go(to.step);
    return;
  }
  go(to.step === null ? opening() : at.stale ? 0 : trace.positionOf(to.step), { quietly: !at.stale });
  if (at.stale) announce($("notice").textContent);
}

function dress() {
  document.documentElement.dataset.theme = at.theme;
  $("theme").textContent = `theme: ${at.theme}`;
}

function nextTheme() {
  at.theme = { system: "light", light: "dark", dark: "system" }[at.theme];
  dress();
  render();
  announce($("theme").textContent);
}

// --- taking things away ----------------------------------------------------------------------------------------------

/** Puts a text on the clipboard; where a page may not, shows it selected, to be copied by hand. */
async function copy(phrase, what) {
  try {
    await navigator.clipboard.writeText(phrase);
    toast(`copied ${what}`);
  } catch {
    const area = html("textarea", { rows: 8, readonly: true, "aria-label": what }, phrase);
    $("export-dialog").replaceChildren(html("h2", { id: "export-title" }, `Copy ${what}`), area,
      closing($("export-dialog")));
    if (!$("export-dialog").open) $("export-dialog").showModal();
    area.select();
  }
}

function save(phrase, type, name) {
  const address = URL.createObjectURL(new Blob([phrase], { type }));
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  toast(`saved ${name}`);
}

function pictureText() {
  if (!hasLanes()) return trace.frame(at.position).board.svg;
  const drawn = drawLanes(trace.document.view, trace.frame(at.position), { id: "saved",
    lost: (trace.document.lost || []).filter((cell) => cell.since <= trace.number(at.position)) });
  drawn.setAttribute("xmlns", SVG);
  const holder = html("div", "", drawn);
  const wanted = ({ cssText, selectorText }) =>
    cssText.includes(":root") || (selectorText && holder.querySelector(selectorText));
  const rules = [...document.styleSheets[0].cssRules].filter(wanted).map((rule) => rule.cssText);
  const [x, y, width, height] = drawn.getAttribute("viewBox").split(" ");
  drawn.prepend(svg("style", "", rules.join("\n")), svg("rect", { x, y, width, height, fill: "var(--panel)" }));
  return drawn.outerHTML;
}

function exporting() {
  const dialog = $("export-dialog"), name = trace.document.model.replace(/[^\w.-]+/g, "-");
  const words = trace.document.cluster; // of such a trace the steps alone can be taken again, where they are known
  const text = () => (words ? around.fileText(trace) : fileText(trace.document));
  const replays = !words || Boolean(around && trace.nodes);
  const entries = [["Copy the replay command", () => copy(trace.replay, "the replay command")],
    ["Copy a link to this state", () => copy(`${location.href}\n${trace.replay}`, "the link and the replay command")],
    ...(replays ? [["Copy the trace as JSON", () => copy(text(), "the trace")]] : []),
    ["Save all states as CSV", () => save(csvOf(trace), "text/csv", `${name}.csv`)],
    ["Copy this state as JSON", () => copy(JSON.stringify(trace.state(at.position), null, 2), "the state")],
    ...Object.entries(trace.texts).map(([kind, phrase]) => [`Copy as ${kind}`, () => copy(phrase, kind)]),
    ...(replays
      ? [["Save the trace", () => save(text(), "application/json", `${name}.trace.json`)]] : []),
    ["Save the picture", () => save(pictureText(), "image/svg+xml", `${name}-${trace.number(at.position)}.svg`)],
    ["Print", () => { dialog.close(); print(); }]].filter(([phrase]) => phrase !== "Save the picture"
      || trace.document.view);
  dialog.replaceChildren(html("h2", { id: "export-title" }, "Copy or save"),
    html("div", "menu", entries.map(([phrase, does]) => html("button", { onclick: does }, phrase))), closing(dialog));
  dialog.showModal();
  announce("export menu");
}

const closing = (dialog) => html("button", { class: "close", onclick: () => dialog.close() }, "close (Esc)");

// --- keys ------------------------------------------------------------------------------------------------------------

/** Every key: how it is written, what it says under `?`, what it does. */
const KEYS = [
  ["ArrowRight l j", "next step", () => move(1)], ["ArrowLeft h k", "previous step", () => move(-1)],
  ["Home g", "first state", () => go(0)], ["End G", "last state", () => go(trace.last)],
  ["x", "first failing step", moveToFailure], ["Space", "play or pause (off under reduced motion)", play],
  ["n", "next step that changes the focused lane", () => moveInLane(1)],
  ["N", "previous step that changes it", () => moveInLane(-1)],
  ["1 2 3 4 5 6 7 8 9", "focus a lane", (key) => focusNumber(Number(key))], ["0", "all lanes", () => focusNumber(0)],
  ["d", "changed fields only, or all", () => toggle("changedOnly", "changed fields only", "all fields")],
  ["o", "ghost of the previous state", () => toggle("ghost", "ghost of the previous state", "no ghost")],
  ["/", "search sentences and fields; Enter: next, Escape: leave", () => $("search").focus()],
  ["f", "filter fields; Escape: leave", () => { at.changedOnly = false; render(); $("filter").focus(); }],
  ["m", "message chart", () => toggle("messages", "message chart shown", "message chart hidden")],
  ["p", "properties", () => toggle("properties", "properties shown", "properties hidden")],
  ["|", "pin this state and compare; of two traces: side by side", pin],
  ["z", "fold runs of one lane", () => toggle("folded", "runs of one lane folded", "all steps")],
  ["c", "copy the replay command", () => copy(trace.replay, "the replay command")],
  ["y", "copy a link to this state, and the replay command", () =>
    copy(`${location.href.split("#")[0]}${link()}\n${trace.replay}`, "the link")],
  ["e", "export: copy or save", exporting], ["t", "light, dark, as the system", nextTheme],
  ["v", "table of all states, a column for each variable", () => toggle("all", "all states", "one state")],
  ["[", "show nothing before this state", () => zoom([at.position, (at.range ?? [0, trace.last])[1]])],
  ["]", "show nothing after this state", () => zoom([(at.range ?? [0, trace.last])[0], at.position])],
  ["\\", "show the whole run again", () => zoom(null)],
  ["a", "table instead of picture", () => (hasLanes() ? toggle("table", "table", "picture")
    : announce("this model has no lanes"))], ["?", "this list", help]];

function help() {
  const dialog = $("help-dialog");
  const shown = (keys) => (keys.startsWith("1 2") ? ["1", "…", "9"] : keys.replace("Arrow", "").split(" "));
  const row = ([keys, says]) => html("div", "",
    html("dt", "", shown(keys).map((key) => (key === "…" ? key : html("kbd", "", key)))), html("dd", "", says));
  dialog.replaceChildren(html("h2", { id: "help-title" }, "Keys"), html("dl", "keys", KEYS.map(row)), closing(dialog));
  dialog.showModal();
  announce("all keys");
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && event.target === $("search")) search(event.shiftKey ? -1 : 1);
    return;
  }
  if (event.key === " " && event.target.matches("button, summary, [role=button]")) return;
  const inList = { ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => go(at.position + 10),
    PageUp: () => go(at.position - 10) };
  const own = event.target.matches("[role=listbox], [role=slider]") ? inList[event.key] : undefined;
  const name = event.key === " " ? "Space" : event.key;
  const known = KEYS.find(([keys]) => keys.split(" ").includes(name));
  if (!own && !known) return;
  event.preventDefault();
  if (own) own();
  else known[2](name);
}

const CLICKS = { first: () => go(0), previous: () => move(-1), next: () => move(1), last: () => go(trace.last), play,
  failing: moveToFailure, table: () => toggle("table", "table", "picture"),
  all: () => toggle("all", "all states", "one state"), theme: nextTheme, export: exporting, help };

document.addEventListener("keydown", pressed);
for (const [id, does] of Object.entries(CLICKS)) $(id).addEventListener("click", () => does());
$("traces").append(...traces.map((trace, index) =>
  html("option", { value: index }, page.aligned ? BOTH[index] : trace.document.title)));
$("traces").addEventListener("change", (event) => { choose(Number(event.target.value)); go(opening()); });
$("search").addEventListener("input", () => search(0));
$("filter").addEventListener("input", renderFields);
$("steps").addEventListener("scroll", () => $("steps").classList.contains("virtual")
  && renderSlice($("steps").scrollTop, $("steps").clientHeight));
for (const name of ["kind", "member"]) $(name).addEventListener("change", ({ target }) => {
  target.blur(); // so that keys are the page's again
  filterBy(name, target.value);
});
addEventListener("resize", () => { drawStrip(); strip.show(at.position); });
addEventListener("hashchange", () => location.hash !== written && follow());
addEventListener("beforeprint", renderPaper);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
matchMedia("print").addEventListener("change", (event) => event.matches && renderPaper());
watchCuts("#chart, #truth, .pane", $("chart"), $("truth"), $("panes"));
follow();
