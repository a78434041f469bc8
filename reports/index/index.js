"use strict";
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const lines = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(lines.textContent);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(lines);
      button.textContent = "selected: press Ctrl+C";
    }
  });
}

// A link into a part that is closed opens it, and so does printing.
const opened = (element) => {
  for (let part = element; part; part = part.parentElement) {
    if (part.tagName === "DETAILS") part.open = true;
  }
};
const named = () => {
  const found = location.hash && document.getElementById(location.hash.slice(1));
  if (!found) return;
  opened(found);
  found.scrollIntoView();
};
addEventListener("hashchange", named);
for (const link of document.querySelectorAll('a[href^="#"]')) link.addEventListener("click", () => setTimeout(named));
named();
let shut = [];
addEventListener("beforeprint", () => {
  shut = [...document.querySelectorAll("details:not([open])")];
  for (const part of shut) part.open = true;
});
addEventListener("afterprint", () => {
  for (const part of shut) part.open = false;
});
