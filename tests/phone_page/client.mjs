// Plays a service before the page's own Client: answers that are refused, cut off or lost.

import { Client, Refused } from "../../mobile_api/phone_page/service/client.js";
import { surprising } from "./surprising.mjs";

globalThis.addEventListener ??= () => {};

/** Return the answer that a test describes: {status, said, wait, text} or "lost". */
function answerOf({ status = 200, said = {}, wait = null, text = JSON.stringify(said) }) {
  const headers = { "DPoP-Nonce": "next", ...(wait === null ? {} : { "Retry-After": wait }) };
  return new Response(status === 204 ? null : text, { status, headers });
}

/**
 * Send a request; each answer in turn, the last one again and again.
 *
 * @param {(object|"lost")[]} answers
 * @param {"get"|"post"|"palm"} [how]
 * @returns what the request gave, how often it was sent, and which pauses there were, milliseconds.
 */
export async function asked(answers, how = "get") {
  const { setTimeout } = globalThis;
  const key = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const pauses = [];
  let sent = 0;
  globalThis.setTimeout = (act, ms) => {
    pauses.push(ms);
    return setTimeout(act, 0);
  };
  globalThis.fetch = async (address) => {
    if (address.endsWith("/nonce")) return answerOf({ status: 204 });
    const answer = answers[Math.min(sent++, answers.length - 1)];
    if (answer === "lost") throw new TypeError("no connection");
    return answerOf(answer);
  };
  try {
    const client = new Client("https://auth.example/mobile/v1", key);
    const send = { get: () => client.get("/a"), post: () => client.post("/a", {}),
      palm: () => client.palm("PUT", "/a", { picture: "" }, new Uint8Array(3)) }[how];
    const given = await send().catch((fault) => {
      if (!(fault instanceof Refused)) throw fault;
      return { error: fault.error + (fault.isRepeated ? ", repeated" : "") };
    });
    return { given, sent, pauses };
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

const DONE = { said: { is: "done" } };

const busy = (status, error, wait = null) => ({ status, said: { error }, wait });

const AWAY = busy(503, "temporarily_unavailable", "5");

const GONE = busy(401, "device_unknown");

const proxy = (status) => ({ status, text: "<html>" });

/** A service that is away, and wants a nonce after each answer. */
const FORGETFUL = [503, 401, 503, 401, 503, 401, 503].map((status) =>
  busy(status, status === 401 ? "use_dpop_nonce" : "temporarily_unavailable"));

/** Answers, what came of them, how often the request was sent, and the pauses between. */
const CASES = {
  "a poll of a service that is away": [[AWAY, DONE], "get", ["done", 2, 5000]],
  "a proxy without its service": [[proxy(502), proxy(504), DONE], "post", ["done", 3, 2000, 2000]],
  "too many requests": [[busy(429, "too_many_requests", "3"), DONE], "palm", ["done", 2, 3000]],
  "another nonce each time": [[...FORGETFUL, DONE], "get", ["done", 8, 2000, 2000, 2000, 2000]],
  "a long wait": [[busy(429, "too_many_requests", "11"), DONE], "get", ["too_many_requests", 1]],
  "too many palms": [[busy(429, "too_many_attempts"), DONE], "post", ["too_many_attempts", 1]],
  "a palm that a screen says": [[AWAY, DONE], "palm", ["temporarily_unavailable", 1]],
  "a date to wait for": [[busy(503, "unknown", "Wed, 21 Oct 2026 07:28:00 GMT"), DONE], "get",
    ["done", 2, 2000]],
  "an answer that is cut off": [[{ text: '{"recovery_co' }, DONE], "post", ["done", 2, 2000]],
  "an answer without a body": [[{ status: 204 }], "post", [{}, 1]],
  "an error without a body": [[{ status: 403, text: "" }], "post", ["unknown", 1]],
  "a lost answer": [["lost", DONE], "post", ["done", 2, 2000]],
  "a deletion whose answer was lost": [["lost", busy(401, "use_dpop_nonce"), GONE], "post",
    ["device_unknown, repeated", 3, 2000]],
  "a phone that was removed": [[GONE], "post", ["device_unknown", 1]],
  "a service that stays away": [[AWAY], "get", ["temporarily_unavailable", 9, ...Array(8).fill(5000)]],
};

/** Return the cases that went another way, and how. */
export async function surprises() {
  const plays = Object.entries(CASES).map(([name, [answers, how, wanted]]) => [name, async () => {
    const { given, sent, pauses } = await asked(answers, how);
    return [given.is ?? given.error ?? given, sent, ...pauses];
  }, wanted]);
  return surprising(plays);
}
