/** My apps: lists the linked apps and disconnects them. */

import { day, text, whoAsks } from "../view/parts.js";
import { h } from "../view/dom.js";
import { announce, button, show } from "../view/stage.js";
import { t } from "../words/words.js";

/**
 * Show the linked apps and let the person disconnect any.
 *
 * @throws {Cancelled} the person does not want to show a palm.
 */
export async function showConnections(app, signal) {
  for (let opened; (opened = await app.account.open(signal)); ) {
    const chosen = await choose(opened.connections, signal);
    if (!chosen) return;
    await withdraw(app, chosen, signal);
  }
}

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

/** Ask for confirmation, and disconnect. */
async function withdraw(app, connection, signal) {
  const signsOut = connection.signs_out && text("withdraw_signs_out");
  const parts = [whoAsks(connection), ...(signsOut ? [signsOut] : []), text("withdraw")];
  const actions = [{ key: "withdraw", look: "removal" }, "cancel"];
  if ((await show({ name: "withdraw", parts, actions }, signal)) === "cancel") return;
  const end = (proof) => app.phone.withdraw(connection.handle, proof);
  if (await app.account.change("connections", connection, end, signal)) announce(t("withdrawn"));
}
