// What only a page of `tidegate explore --web` has: it asks the server that it came from.

/** Asks the server of a live page, adds what it says, and draws the page again. */
async function ask(question) {
  if (asked.has(question)) return null;
  asked.add(question);
  const { values, nodes } = around.document;
  try {
    const answer = await fetch(`${question}&values=${values.length}&nodes=${nodes.length}`);
    const said = await answer.json();
    if (!answer.ok) {
      toast(said.message);
      return null;
    }
    around.add(said);
    render();
    return said;
  } catch (error) {
    toast(`the server of tidegate explore does not answer: ${error.message}`);
    return null;
  } finally {
    asked.delete(question);
  }
}

/** Goes to the nearest state from here in which a property fails, or a witness is reached. */
async function goTo(name) {
  if (looked === name) return stopLooking();
  if (looked !== null) return toast(`first stop looking for ${looked}: Escape`);
  toast(`looking for ${name} …; Escape stops it`);
  looked = name;
  render();
  const [from, node] = [at.position, trace.nodes[at.position]];
  const said = await ask(`go?node=${node}&property=${encodeURIComponent(name)}`);
  looked = null;
  render();
  if (!said) return;
  if (trace.nodes[from] !== node) return toast(`${said.message}; it begins in another branch: go there, and look again`);
  if (said.taken === null || !said.taken.length) return toast(said.message);
  const { origin } = trace, grows = origin && from >= origin.position;
  const taken = [...(grows ? origin.taken.slice(0, from - origin.position) : []), ...said.taken];
  show(origin ? origin.root : at.trace, grows ? origin.position : from, taken, grows && from === trace.last);
  toast(said.message);
}

const stopLooking = () => fetch("stop");
document.addEventListener("keydown", ({ key }) => key === "Escape" && looked !== null && stopLooking());

/** Watches an expression from now on, in every state that anybody has looked at. */
async function watchFor(expression) {
  const said = await ask(`watch?expression=${encodeURIComponent(expression)}`);
  if (!said) return;
  strip = new Strip(trace, $("truth"), go);
  strip.onrange = zoom;
  zoomed(at.range);
  render();
  $("watch").value = "";
  announce(`watching ${expression}`);
}

$("watch").addEventListener("keydown", (event) => event.key === "Enter" && watchFor(event.target.value.trim()));
