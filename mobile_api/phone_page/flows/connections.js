/** My apps: lists the linked apps and disconnects them. */

import { Refused } from "../service/client.js";
import { day, text, whoAsks } from "../view/parts.js";
import { h } from "../view/dom.js";
import { announce, button, show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";
import { withVerifiedPalm } from "./verification.js";
import { Cancelled } from "./palm.js";
import { confirmed } from "./screen_lock.js";

/**
 * Show the linked apps and let the person disconnect any.
 *
 * @throws {Cancelled} the person does not want to show a palm.
 */
export async function showConnections(app, signal) {
  let proved = await prove(app, signal);
  while (proved) {
    const chosen = await choose(proved.connections, signal);
    if (!chosen) return;
    proved = await withdraw(app, proved, chosen, signal);
  }
}

const prove = (app, signal) => withVerifiedPalm(app, (palm) => app.phone.connections(palm), signal);

/** Return the chosen app; null to leave. */
async function choose(connections, signal) {
  let pick;
  const picked = new Promise((resolve) => (pick = resolve));
  const rows = connections.map((each, at) => row(each, at, () => pick(each)));
  const parts = [
    text(connections.length ? "my_apps" : "my_apps_none"),
    ...(rows.length ? [h("ul", { class: "apps", id: "apps" }, ...rows)] : []),
  ];
  const left = show({ name: "my_apps", parts, actions: ["home"] }, signal).then(() => null);
  return Promise.race([picked, left]);
}

function row(connection, at, click) {
  const id = `app-${at}`;
  const about = h("div", { id }, whoAsks(connection),
    h("p", { class: "since" }, t("my_apps_since", { date: day(connection.since) })));
  const given = { class: "outlined removal", "data-handle": connection.handle };
  return h("li", {}, about, button("withdraw", click, { ...given, "aria-describedby": id }));
}

/** Ask for confirmation, disconnect, and return the remaining apps. */
async function withdraw(app, proved, connection, signal) {
  const signsOut = connection.signs_out && text("withdraw_signs_out");
  const parts = [whoAsks(connection), ...(signsOut ? [signsOut] : []), text("withdraw")];
  const actions = [{ key: "withdraw", look: "removal" }, "cancel"];
  if ((await show({ name: "withdraw", parts, actions }, signal)) === "cancel") return proved;
  showBusy("opening");
  try {
    const end = () => app.phone.withdraw(connection.handle, proved.palm_proof);
    const left = await confirmed(app, end, signal);
    announce(t("withdrawn"));
    return { ...proved, ...left };
  } catch (fault) {
    if (fault instanceof Cancelled) return proved;
    if (!(fault instanceof Refused)) throw fault;
    if (fault.error === "connection_gone") return without(proved, connection);
    if (fault.error !== "palm_proof_expired") throw fault;
  }
  return prove(app, signal);
}

const without = (proved, gone) =>
  ({ ...proved, connections: proved.connections.filter(({ handle }) => handle !== gone.handle) });
