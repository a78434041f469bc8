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
