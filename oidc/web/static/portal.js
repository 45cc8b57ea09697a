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

// Times as the reader writes them, where the reader is; a day that was counted is one in UTC.
for (const each of document.querySelectorAll("time")) {
  const style = each.dateTime.includes("T") ? { timeStyle: "medium" } : { timeZone: "UTC" };
  const format = new Intl.DateTimeFormat(navigator.language, { dateStyle: "medium", ...style });
  each.textContent = format.format(new Date(each.dateTime));
}
