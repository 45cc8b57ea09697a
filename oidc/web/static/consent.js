// Watches one login and finishes it in this browser: events from the server, polling if they fail.
"use strict";

(() => {
  const page = document.getElementById("login");
  const status = document.getElementById("status");
  const countdown = document.getElementById("countdown");
  const here = page.dataset.here;
  const POLL_MS = 2000;
  const RENEWABLE_POLL_MS = 15000;
  const READING_MS = 1800;
  const CODE_HINTS = ["wait_code", "code_retry"];
  let deadline = performance.now() + Number(countdown.dataset.seconds) * 1000;
  let isOver = page.dataset.over === "yes";
  let isLeaving = false;
  let stream = null;
  let poll = null;

  function message(hint) {
    const entry = document.querySelector(`#messages [data-hint="${hint}"]`);
    return entry ? entry.textContent : "";
  }

  function setHidden(id, isHidden) {
    document.getElementById(id).hidden = isHidden;
  }

  function show(progress) {
    if (isOver && !page.dataset.renewable.startsWith("y")) return;
    deadline = performance.now() + progress.expires_in * 1000;
    page.dataset.renewable = progress.is_renewable ? "yes" : "no";
    if (progress.hint !== page.dataset.hint) {
      page.dataset.hint = progress.hint;
      status.textContent = message(progress.hint);
      askCode(CODE_HINTS.includes(progress.hint));
    }
    if (progress.state !== "pending") putAway();
    tick();
    if (progress.is_over) finish(progress.hint);
  }

  // The code is claimed or dead: nobody else shall scan it.
  function putAway() {
    for (const section of document.querySelectorAll(".scan, .demo")) section.remove();
  }

  function askCode(isAsked) {
    setHidden("code-form", !isAsked);
    if (isAsked) document.getElementById("code").focus();
  }

  // Another ticket: the same picture with other modules, the same link with another end.
  function showCode(code) {
    const modules = document.getElementById("qr-modules");
    if (modules === null) return;
    modules.setAttribute("d", code.path);
    document.getElementById("phone-link").href = code.here;
    const demo = document.getElementById("demo-command");
    // Not while somebody marks it to copy it: an older link is good for a while, too.
    const isMarked = demo !== null && getSelection().containsNode(demo, true);
    if (demo !== null && code.demo && !isMarked) demo.textContent = code.demo;
  }

  function finish(hint) {
    isOver = true;
    page.dataset.over = "yes";
    stream?.close();
    clearInterval(poll);
    const isRenewable = page.dataset.renewable === "yes";
    setHidden("time", true);
    setHidden("cancel-form", true);
    setHidden("code-form", true);
    setHidden("continue", false);
    setHidden("renew-form", !isRenewable);
    if (isRenewable) {
      // The person may still want another code; when that is over, too, the app is told.
      poll = setInterval(ask, RENEWABLE_POLL_MS);
      return;
    }
    // A newer sign-in goes on in another tab: this one must not come between.
    if (hint === "superseded") return;
    // An approved login goes on at once; otherwise there is a sentence to read first.
    setTimeout(goOn, hint === "go" ? 0 : READING_MS);
  }

  // The answer to a form that is on its way, the code's, may hold what the app waits for: a second
  // one would break it off.
  function goOn() {
    if (!isLeaving) document.getElementById("continue").requestSubmit();
  }

  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if (isLeaving) event.preventDefault();
      isLeaving = true;
      for (const button of document.querySelectorAll("button")) button.disabled = true;
    });
  }

  async function ask() {
    try {
      const answer = await fetch(`${here}/state`, { cache: "no-store" });
      // Over, or nobody's: the page says so. Unless a form ended it, whose answer is on its way.
      if (answer.status === 403 && !isLeaving) location.reload();
      if (!answer.ok) return;
      const progress = await answer.json();
      if (progress.code) showCode(progress.code);
      show(progress);
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
    stream.addEventListener("code", (event) => showCode(JSON.parse(event.data)));
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

  // A page that comes back from the browser's history, or from the background of a phone,
  // asks anew: its code may be an old one.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !isOver) ask();
  });

  if (isOver) {
    finish(page.dataset.hint);
  } else {
    if (CODE_HINTS.includes(page.dataset.hint)) askCode(true);
    listen();
    setInterval(tick, 1000);
  }
})();
