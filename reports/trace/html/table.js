// All states as a table: a row for each, a column for each cell of the state; and the same as CSV.

const TABLE_WINDOW = 24;

/** A value as `tidegate export --to csv` writes it. */
function plain(value) {
  if (value === null) return "none";
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  const { "@": which, ...parts } = value, listed = Object.entries(parts);
  return which === undefined ? `{${listed.map(([key, held]) => `${key}: ${plain(held)}`).join(", ")}}`
    : `${which}(${listed.map(([key, held]) => `${key}=${plain(held)}`).join(", ")})`;
}

/** The cells of a value, as [name, text]: maps and records are divided, everything else is one. */
function cellsOf(name, type, value) {
  if (type.kind === "map") {
    return Object.entries(value).flatMap(([key, held]) => cellsOf(`${name}[${key}]`, type.value, held));
  }
  if (type.kind === "record") {
    return Object.entries(type.fields).flatMap(([part, of]) => cellsOf(`${name}.${part}`, of, value[part]));
  }
  return [[name, type.kind === "set" || type.kind === "bag" ? `{${value.map(plain).join(", ")}}` : plain(value)]];
}

/** Every cell of the state at a position, then what is watched. */
const rowOfState = (of, position, watched) => [...of.document.fields.flatMap(({ name, type }) =>
  cellsOf(name, type, of.state(position)[name])), ...watched.map(([text, values]) => [text, values[position]])];

/** The states around a position, each a row to click, cells that a step changed marked. */
function tableOfStates(of, position, onstep) {
  const from = Math.max(0, Math.min(position - TABLE_WINDOW / 2, of.last - TABLE_WINDOW));
  const to = Math.min(of.last, from + TABLE_WINDOW), watched = of.watched();
  const first = rowOfState(of, from, watched);
  const rows = [];
  let before = from > 0 && !of.isAfterGap(from) ? rowOfState(of, from - 1, watched) : first;
  for (let at = from; at <= to; at++) {
    const cells = rowOfState(of, at, watched), known = of.isAfterGap(at) ? cells : before;
    rows.push(html("tr", { "data-at": at, "aria-current": at === position ? "true" : null,
      class: at === of.failing ? "fails" : "", title: of.sentence(at),
      onclick: (event) => onstep(Number(event.currentTarget.dataset.at)) },
    html("th", { scope: "row" }, of.number(at)), html("td", "by", at === 0 ? "" : of.step(at).step),
    cells.map(([, text], column) => html("td", { class: text === known[column][1] ? "" : "touched" }, text))));
    before = cells;
  }
  return html("div", { class: "states", tabindex: 0, role: "region", "aria-label": "all states" },
  html("p", "muted small", `States ${of.number(from)} to ${of.number(to)} of ${of.total}; `
    + "what a step changed is marked; export has all of it as CSV."),
  html("table", "plain", html("thead", "", html("tr", "", ["state", "step", ...first.map(([name]) => name)]
    .map((name) =>
    html("th", { scope: "col" }, name)))), html("tbody", "", rows)));
}

/** A row of CSV. */
const csvRow = (cells) => `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
  .join(",")}\n`;

/** The whole table as CSV, as `tidegate export --to csv` writes it, and what is watched behind it. */
function csvOf(of) {
  const watched = of.watched(), names = Object.keys(of.document.truth);
  const truth = { 1: "holds", 0: "fails", "-": "" };
  const row = (at) => {
    const cells = rowOfState(of, at, watched).map(([, text]) => text);
    const step = of.step(at), own = cells.length - watched.length;
    return [String(of.number(at)), step?.step ?? "", step?.sentence ?? "", ...cells.slice(0, own),
      ...names.map((name) => truth[of.truth(name, at)]), ...cells.slice(own)];
  };
  const columns = rowOfState(of, 0, []).map(([name]) => name);
  return csvRow(["state", "step", "sentence", ...columns, ...names, ...watched.map(([text]) => text)])
    + Array.from({ length: of.last + 1 }, (_, at) => csvRow(row(at))).join("");
}
