// Follows one login and finishes it in this browser: server-sent events, or polling if they fail.

import { correction, generate } from "./lean-qr-2.7.4.js";

(() => {
  const page = document.getElementById("login");
  const status = document.getElementById("status");
  const countdown = document.getElementById("countdown");
  const here = page.dataset.here;
  const POLL_MS = 2000;
  const RENEWABLE_POLL_MS = 15000;
  const READING_MS = 60;
  const CLOCK_S = 60;
  const LEAVING_MS = 450;
  const QUIET = 4;
  const WITH_A_WAY_ON = ["go", "superseded"];
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
      // The card does not shrink under the eyes.
      page.style.minHeight = `${page.getBoundingClientRect().height}px`;
      page.dataset.hint = progress.hint;
      status.textContent = message(progress.hint);
      showCodeForm(CODE_HINTS.includes(progress.hint));
    }
    document.getElementById("tries-left").textContent = progress.tries_left;
    setHidden("tries", !progress.tries_left);
    if (progress.state !== "pending") hideCode();
    tick();
    if (progress.is_over) finish(progress.hint);
  }

  // The code is claimed or expired: it gives way to the drawing, in the time that page.css takes.
  function hideCode() {
    setTimeout(() => document.getElementById("qr")?.remove(), LEAVING_MS);
    document.querySelector(".demo")?.remove();
  }

  function showCodeForm(isShown) {
    setHidden("code-form", !isShown);
    if (isShown) document.getElementById("code").focus();
  }

  // A new ticket: draw its QR code as large as the one before, and update the link.
  function showCode(code) {
    const modules = document.getElementById("qr-modules");
    if (modules === null) return;
    modules.setAttribute("d", drawn(code.link, modules.ownerSVGElement.viewBox.baseVal.width));
    document.getElementById("phone-link").href = code.here;
    const demo = document.getElementById("demo-command");
    // Not while the text is selected for copying: older links stay valid for a while.
    const isSelected = demo !== null && getSelection().containsNode(demo, true);
    if (demo !== null && code.demo && !isSelected) demo.textContent = code.demo;
  }

  // Without a camera the command is the way: it is not folded.
  navigator.mediaDevices?.enumerateDevices().then((all) => {
    const isFolded = all.some(({ kind }) => kind === "videoinput");
    document.querySelector(".demo details")?.toggleAttribute("open", !isFolded);
  });

  const copy = document.getElementById("copy");
  if (copy) copy.hidden = false;
  copy?.addEventListener("click", async () => {
    const command = document.getElementById("demo-command");
    try {
      await navigator.clipboard.writeText(command.textContent);
      copy.textContent = copy.dataset.done;
    } catch {
      getSelection().selectAllChildren(command);
    }
  });

  // The path of the dark modules, within a quiet zone of four. ISO/IEC 18004.
  function drawn(link, side) {
    const minVersion = (side - 2 * QUIET - 17) / 4;
    const code = generate(link, { minCorrectionLevel: correction.M, minVersion });
    const path = [];
    for (let y = 0; y < code.size; y++) {
      for (let x = 0; x < code.size; x++) {
        if (code.get(x, y)) path.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
      }
    }
    return path.join("");
  }

  function finish(hint) {
    isOver = true;
    page.dataset.over = "yes";
    stream?.close();
    clearInterval(poll);
    const isRenewable = page.dataset.renewable === "yes";
    tick();
    setHidden("next", isRenewable || WITH_A_WAY_ON.includes(hint));
    setHidden("cancel-form", true);
    setHidden("code-form", true);
    setHidden("continue", false);
    document.querySelector("#continue button").className = isRenewable ? "plain" : "primary";
    setHidden("renew-form", !isRenewable);
    if (isRenewable) {
      // The person may still ask for a new code; poll until that period ends.
      poll = setInterval(fetchState, RENEWABLE_POLL_MS);
      return;
    }
    // A newer sign-in continues in another tab: do not interfere.
    if (hint === "superseded") return;
    // An approved login continues at once; otherwise there is a message to read first.
    setTimeout(continueLogin, hint === "go" ? 0 : 1000 + status.textContent.length * READING_MS);
  }

  // A form is already being submitted and its answer may return to the app: a second submission
  // would cancel it.
  function continueLogin() {
    if (!isLeaving) document.getElementById("continue").requestSubmit();
  }

  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if (isLeaving) event.preventDefault();
      isLeaving = true;
      // The answer may end the login: then these would be refused.
      stream?.close();
      clearInterval(poll);
      for (const button of document.querySelectorAll("button")) button.disabled = true;
    });
  }

  async function fetchState() {
    try {
      const answer = await fetch(`${here}/state`, { cache: "no-store" });
      // Ended or unknown: reload to show why, unless a submitted form is about to answer.
      if (answer.status === 403 && !isLeaving) location.reload();
      if (!answer.ok) return;
      const progress = await answer.json();
      if (progress.code) showCode(progress.code);
      show(progress);
    } catch {
      // Network error: the next poll tries again.
    }
  }

  function startPolling() {
    if (poll !== null || isOver) return;
    poll = setInterval(fetchState, POLL_MS);
    fetchState();
  }

  function listen() {
    if (!("EventSource" in window)) return startPolling();
    stream = new EventSource(`${here}/events`);
    stream.addEventListener("progress", (event) => show(JSON.parse(event.data)));
    stream.addEventListener("code", (event) => showCode(JSON.parse(event.data)));
    stream.addEventListener("error", () => {
      // The browser reopens a closed stream by itself; after a refusal, poll.
      if (stream.readyState === EventSource.CLOSED) startPolling();
    });
  }

  function tick() {
    const left = Math.max(0, Math.round((deadline - performance.now()) / 1000));
    countdown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    setHidden("time", isOver || left >= CLOCK_S);
    if (left === 0 && !isOver) fetchState();
  }

  // A page restored from history or from the background asks again: its code may be old.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !isOver) fetchState();
  });

  if (isOver) {
    finish(page.dataset.hint);
  } else {
    if (CODE_HINTS.includes(page.dataset.hint)) showCodeForm(true);
    listen();
    setInterval(tick, 1000);
  }
})();
