// The portal's pages work without this.

// The invitation follows the "#" of its link, which is not sent to the server: fill in the field.
"use strict";

const field = document.getElementById("invitation");
const invitation = location.hash.slice(1);
if (field && /^[\w-]{43}$/.test(invitation)) {
  field.value = invitation;
  history.replaceState(null, "", location.pathname);
}

// Copying needs scripts and https: without them there is no button.
for (const each of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small copy";
  button.textContent = `Copy ${each.dataset.copy}`;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(each.textContent);
    button.textContent = `Copied ${each.dataset.copy}`;
  });
  each.after(button);
}
