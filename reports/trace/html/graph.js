// What only a page with a state graph has: the node of the state that is shown is marked, one that is chosen leads to its
// step, and the drawing is made larger and smaller, and moved, within its frame.

const graph = document.querySelector("#graph .scrolled");
const drawn = graph.querySelector("svg");
const natural = { width: Number(drawn.getAttribute("width")), height: Number(drawn.getAttribute("height")) };
const nodes = [...graph.querySelectorAll("[data-steps]")];
const stepsOf = (node) => node.dataset.steps.split(" ").map(Number);
const [SMALLEST, LEGIBLE, LARGEST] = [0.1, 0.6, 3];
let scale = 1;

/** Whether a state of the drawn run is the one that is shown, which may be a branch's. */
function isHere(step) {
  const base = traces[0];
  return trace === base ? step === trace.number(at.position) : base.nodes[step] === trace.nodes[at.position];
}

function renderGraph() {
  for (const node of nodes) node.classList.toggle("here", stepsOf(node).some(isHere));
  const here = nodes.find((node) => node.classList.contains("here"));
  if (here) reveal(graph, here.querySelector("rect"));
}

/** Draws it at a scale, the middle of what is seen staying where it is. */
function magnify(to) {
  const [x, y] = [graph.scrollLeft + graph.clientWidth / 2, graph.scrollTop + graph.clientHeight / 2];
  const by = Math.min(LARGEST, Math.max(SMALLEST, to)) / scale;
  scale *= by;
  for (const [side, length] of Object.entries(natural)) drawn.setAttribute(side, String(Math.round(length * scale)));
  graph.scrollTo(x * by - graph.clientWidth / 2, y * by - graph.clientHeight / 2);
}

/** The scale at which all of it is seen. */
const whole = () => Math.min(1, graph.clientWidth / natural.width,
  parseFloat(getComputedStyle(graph).maxHeight) / natural.height);

for (const [id, to] of Object.entries({ smaller: () => scale / 1.25, larger: () => scale * 1.25, whole })) {
  document.getElementById(id).addEventListener("click", () => magnify(to()));
}
magnify(Math.min(1, Math.max(LEGIBLE, graph.clientWidth / natural.width)));

for (const node of nodes) for (const kind of ["click", "keydown"]) node.addEventListener(kind, (event) => {
  if (kind === "keydown" && !["Enter", " "].includes(event.key)) return;
  const steps = stepsOf(node), number = trace === traces[0] ? trace.number(at.position) : -1;
  if (trace !== traces[0]) choose(0); // where one is in a branch is no place in the run
  go(trace.positionOf(steps.find((step) => step > number) ?? steps[0]));
  event.preventDefault();
});

graph.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return; // what a pinch is, too; without it the wheel scrolls
  event.preventDefault();
  magnify(scale * 1.0015 ** -event.deltaY);
}, { passive: false });
graph.addEventListener("pointermove", (event) => {
  if (event.buttons === 1 && event.pointerType === "mouse") graph.scrollBy(-event.movementX, -event.movementY);
});
