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
const words = document.querySelector("main").dataset;
for (const each of navigator.clipboard ? document.querySelectorAll("[data-copy]:not(main)") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small copy";
  const say = (word) => {
    button.textContent = word;
    button.setAttribute("aria-label", `${word}: ${each.dataset.copy}`);
  };
  say(words.copy);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(each.textContent);
    say(words.copied);
  });
  each.after(button);
}

// Times as the reader writes them, where the reader is; a day that was counted is one in UTC.
const { lang } = document.documentElement;
const options = { dateStyle: "medium", numberingSystem: "latn" };
const region = navigator.languages.find((each) => each.startsWith(lang)) ?? lang;
for (const each of document.querySelectorAll("time")) {
  const style = each.dateTime.includes("T") ? { timeStyle: "medium" } : { timeZone: "UTC" };
  each.textContent = new Intl.DateTimeFormat(region, { ...options, ...style }).format(
    new Date(each.dateTime),
  );
  each.dir = "auto";
}
