// Shows how to answer the login this link belongs to. The ticket stays in this page.
const ticket = location.hash.slice(1);
const complete = /^[A-Za-z0-9_-]{16,256}$/.test(ticket);
const section = document.getElementById(complete ? "answer" : "no-ticket");
if (complete) {
  document.getElementById("command").textContent =
    `thenar phone answer '${location.origin}${location.pathname}#${ticket}' --palm FILE`;
}
section.hidden = false;
