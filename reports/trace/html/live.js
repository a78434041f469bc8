// What only a page of `tidegate explore --web` has: it asks the server that it came from.

/** Asks the server of a live page, adds what it says, and draws the page again. */
async function ask(question) {
  if (ask.open === question) return null;
  ask.open = question;
  const { values, nodes } = around.document;
  try {
    const answer = await fetch(`${question}&values=${values.length}&nodes=${nodes.length}`);
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.message);
    around.add(said);
    ask.open = null;
    render();
    return said;
  } catch (error) {
    toast(`the server of tidegate explore does not answer: ${error.message}`);
    return null;
  }
}

/** Goes to the nearest state from here in which a property fails, or a witness is reached. */
async function goTo(name) {
  toast(`looking for ${name} …`);
  const [from, node] = [at.position, trace.nodes[at.position]];
  const said = await ask(`go?node=${node}&property=${encodeURIComponent(name)}`);
  if (!said) return;
  if (said.taken === null || !said.taken.length) return toast(said.message);
  const { origin } = trace, grows = origin && from >= origin.position;
  const taken = [...(grows ? origin.taken.slice(0, from - origin.position) : []), ...said.taken];
  show(origin ? origin.root : at.trace, grows ? origin.position : from, taken, grows && from === trace.last);
  toast(said.message);
}
