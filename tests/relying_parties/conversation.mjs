// The conversation between a relying party and the test that watches it.
//
// One JSON value a line. The test says who the provider is, then asks for logins; the relying
// party answers each with the address a person's browser visits, and at last with one line:
// what its library learned, or what it was refused.

import { createServer } from "node:http";
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Return the next thing the test says; null at the end. */
export async function hear() {
  const { value, done } = await lines.next();
  return done ? null : JSON.parse(value);
}

/** Say one thing to the test. */
export function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Say that a login ended without tokens, in the library's own words. */
export function sayRefused(error, description) {
  say({ refused: { error, description } });
}

/**
 * Play a relying party without pages: the test carries the browser's callback over.
 *
 * @param begin takes extra parameters of the authorization request; returns its address, and
 *   `finish`, which takes the callback's address and returns what the library learned.
 * @param leave returns the address of a logout request, and `finish`, which takes the address
 *   to which the browser came back.
 */
export async function playWithoutPages(begin, leave) {
  for (let asked = await hear(); asked; asked = await hear()) {
    if (asked.logout) {
      const { visit, finish } = await leave();
      say({ visit });
      await finish((await hear()).callback);
      say({ left: true });
      continue;
    }
    try {
      const { visit, finish } = await begin(asked.parameters);
      say({ visit });
      const { callback } = await hear();
      say({ learned: await finish(callback) });
    } catch (fault) {
      sayRefused(fault.error ?? fault.name, fault.error_description ?? fault.message);
    }
  }
}

/**
 * Play a relying party with its own pages: the browser comes back to it by itself.
 *
 * @param settings what the test said first.
 * @param answer answers a request of Node's http server.
 */
export async function playWithPages(settings, answer) {
  const { origin, port, hostname } = new URL(settings.redirect_uri);
  const server = createServer(answer);
  await new Promise((listening) => server.listen(Number(port), hostname, listening));
  for (let asked = await hear(); asked; asked = await hear()) {
    if (asked.logout) {
      say({ visit: `${origin}/logout` });
      continue;
    }
    say({ visit: `${origin}/login?${new URLSearchParams(asked.parameters)}` });
  }
  server.close();
  server.closeAllConnections();
}
