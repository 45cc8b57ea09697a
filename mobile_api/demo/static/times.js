"use strict";

// Times as the reader writes them, where the reader is; without scripts they stay in UTC.
const format = new Intl.DateTimeFormat(navigator.language, { dateStyle: "long", timeStyle: "long" });
for (const each of document.querySelectorAll("time")) {
  each.textContent = format.format(new Date(each.dateTime));
}
