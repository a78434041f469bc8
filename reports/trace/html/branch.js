// Other steps than those of the trace: what could be chosen, and the runs that come of it. The states around the trace
// stand in the page (`traces/neighbourhood.py`), or the server of `tidegate explore --web` adds them.

/** The parts of a step of which a number among the shared values stands in it. */
const SHARED = ["call", "args", "where", "statement", "reads", "writes", "changed", "marks", "truth", "sentence"];

class Around {
  constructor(document) {
    this.document = document;
    this.live = document.live;
  }

  /** The parts of a node whose values are shared. */
  parts(numbers) {
    return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, this.document.values[number]]));
  }

  /** The steps that can happen in a node's state; null where nobody looked. */
  next(node) {
    const found = node === undefined ? null : this.document.nodes[node].next;
    return found && found.map((step) => (step.to === null ? step
      : { ...step, ...this.parts(Object.fromEntries(SHARED.map((name) => [name, step[name]]))) }));
  }

  state(node) {
    const { fields, nodes, values } = this.document;
    return Object.fromEntries(fields.map((name, at) => [name, values[nodes[node].state[at]]]));
  }

  frame(node, marks) {
    const { lanes, board } = this.document.nodes[node];
    return lanes && { lanes: this.parts(lanes), marks, board: this.document.values[board] };
  }

  truth(node, name) {
    return this.document.nodes[node].truth[this.document.properties.indexOf(name)] ?? "-"; // a property not asked about
  }

  /** Steps as the model is given them, where the page says them in other words. */
  calls(steps) {
    return steps.map((step, at) => step.call ?? this.document.calls?.[at] ?? step.step);
  }

  /** The command that replays steps. */
  replay(steps) {
    return this.document.replay.replace("@STEPS@", () => this.calls(steps).join("; "));
  }

  /** The command that goes on where steps lead: in the words of the page where the trace is `saved` beside it. */
  onward(steps, saved) {
    const command = saved ? `tidegate explore ${saved} --steps "${this.calls(steps).join("; ")}"`
      : this.replay(steps).replace("tidegate replay", "tidegate explore");
    return `${command} --web --open`;
  }

  /** A run of a page that has the words of a cluster, as tidegate takes it again: its steps, and all that is the
   * model's. */
  fileText({ document, steps }) {
    const { model, bounds, ghosts, called, tool, commit } = document;
    const [properties, wording] = [Object.keys(document.properties), { before: document.cluster.before }];
    const kept = { schema: "tidegate.steps/1", model, bounds, ghosts, properties, called, wording };
    return `${JSON.stringify({ ...kept, steps: this.calls(steps), tool, commit }, null, 2)}\n`;
  }

  /** Adds what a server knows more. Answers overlap, and come in any order: what is there already stays. */
  add({ from: begins, values, nodes, known, watched }) {
    for (const [text, { from, values: news }] of Object.entries(watched)) {
      const there = this.document.watched[text] ??= [];
      news.forEach((value, index) => { there[from + index] = value; });
    }
    for (const [name, news] of Object.entries({ values, nodes })) {
      const there = this.document[name];
      there.push(...news.slice(there.length - begins[name]));
    }
    for (const [node, next] of Object.entries(known)) this.document.nodes[node].next = next;
  }
}

/** A message as it was when nothing but the first steps had been taken. */
const until = (position) => (message) => ({ ...message, ended: message.ended > position ? null : message.ended,
  received: message.received.filter((event) => event.step <= position) });

/** The run that leaves a trace at a position and takes other steps there, by their places among what can happen. */
function grown(around, base, root, position, taken) {
  const doc = base.document, nodes = base.nodes.slice(0, position + 1), steps = doc.steps.slice(0, position);
  const [states, frames, truth] = [{ keyframe_every: 1 }, {}, {}];
  for (let at = 0; at <= position; at++) states[at] = base.state(at);
  for (let at = 0; doc.view && at <= position; at++) frames[at] = base.frame(at);
  for (const [name, marks] of Object.entries(doc.truth)) truth[name] = marks.slice(0, position + 1);
  for (const index of taken) {
    const next = around.next(nodes[nodes.length - 1]);
    if (!next || !next[index] || next[index].to === null) return null;
    const { to, marks, truth: ofStep, ...step } = next[index];
    nodes.push(to);
    steps.push({ ...step, i: steps.length + 1, messages: [] });
    states[steps.length] = around.state(to);
    if (doc.view) frames[steps.length] = around.frame(to, marks);
    for (const name of Object.keys(truth)) truth[name] += ofStep[name] ?? around.truth(to, name);
  }
  const here = doc.disabled.states, looked = Object.keys(here).filter((at) => Number(at) <= position);
  const { abstract: _, ...kept } = doc;
  if (doc.cluster) kept.cluster = { ...doc.cluster, verdict: "another way",
    title: `What else could happen ${position ? `after step ${position}` : "from the start"}` };
  const notes = doc.messages.length ? [`messages are shown up to step ${position}, where this branch begins`] : [];
  const made = new Trace({ ...kept, kind: "run", property: null, failure: null, argument: [], steps, states, frames,
    truth, notes, loop: null, title: `${doc.model}: ${count(steps.length, "step")}`, replay: around.replay(steps),
    disabled: { ...doc.disabled, states: Object.fromEntries(looked.map((at) => [at, here[at]])), truncated: null },
    messages: doc.messages.filter((message) => message.sent <= position).map(until(position)) },
  { digest: base.digest, texts: {} });
  return Object.assign(made, { nodes, origin: { root, position, taken } });
}

/** A branch as its address has it: the trace's place, the position where it leaves it, and which steps it takes. */
const branchText = ({ root, position, taken }) => [root, position, ...taken].join(".");
