// Watches one login and finishes it in this browser: events from the server, polling if they fail.
"use strict";

(() => {
  const page = document.getElementById("login");
  const status = document.getElementById("status");
  const countdown = document.getElementById("countdown");
  const here = page.dataset.here;
  const POLL_MS = 2000;
  const READING_MS = 1800;
  let deadline = performance.now() + Number(countdown.dataset.seconds) * 1000;
  let isOver = page.dataset.over === "yes";
  let stream = null;
  let poll = null;

  function message(hint) {
    const entry = document.querySelector(`#messages [data-hint="${hint}"]`);
    return entry ? entry.textContent : "";
  }

  function show(progress) {
    if (isOver) return;
    deadline = performance.now() + progress.expires_in * 1000;
    if (progress.hint !== page.dataset.hint) {
      page.dataset.hint = progress.hint;
      status.textContent = message(progress.hint);
    }
    if (progress.state !== "pending") putAway();
    tick();
    if (progress.is_over) finish(progress.hint);
  }

  // The code is claimed or dead: nobody else shall scan it.
  function putAway() {
    for (const section of document.querySelectorAll(".scan, .demo")) section.remove();
  }

  function finish(hint) {
    isOver = true;
    page.dataset.over = "yes";
    stream?.close();
    clearInterval(poll);
    document.getElementById("time").hidden = true;
    document.getElementById("cancel-form").hidden = true;
    const form = document.getElementById("continue");
    form.hidden = false;
    // An approved login goes on at once; otherwise there is a sentence to read first.
    setTimeout(() => submitOnce(form), hint === "go" ? 0 : READING_MS);
  }

  function submitOnce(form) {
    if (form.dataset.sent) return;
    form.requestSubmit();
  }

  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = "yes";
      for (const button of document.querySelectorAll("button")) button.disabled = true;
    });
  }

  async function ask() {
    try {
      const answer = await fetch(`${here}/state`, { cache: "no-store" });
      if (answer.ok) show(await answer.json());
      else if (answer.status === 403) location.reload();
    } catch {
      // The network is away: the next poll asks again.
    }
  }

  function startPolling() {
    if (poll !== null || isOver) return;
    poll = setInterval(ask, POLL_MS);
    ask();
  }

  function listen() {
    if (!("EventSource" in window)) return startPolling();
    stream = new EventSource(`${here}/events`);
    stream.addEventListener("progress", (event) => show(JSON.parse(event.data)));
    stream.addEventListener("error", () => {
      // The browser opens a closed stream again by itself; a refused one is given up.
      if (stream.readyState === EventSource.CLOSED) startPolling();
    });
  }

  function tick() {
    const left = Math.max(0, Math.round((deadline - performance.now()) / 1000));
    countdown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    if (left === 0 && !isOver) ask();
  }

  // A page that comes back from the browser's history asks anew.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  if (isOver) {
    finish(page.dataset.hint);
  } else {
    listen();
    setInterval(tick, 1000);
  }
})();
