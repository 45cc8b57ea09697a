/** The link in a QR code: `…/m#ticket`, or `…/m#ticket&here` in the same browser. */

const TICKET = /^[A-Za-z0-9_-]{1,256}$/;

/**
 * Parse a fragment.
 *
 * @param {string} fragment as in location.hash.
 * @returns {{ticket: string, isHere: boolean}|null} null if there is no ticket in it.
 */
export function parseFragment(fragment) {
  const [ticket, ...words] = fragment.replace(/^#/, "").split("&");
  return TICKET.test(ticket) ? { ticket, isHere: words.includes("here") } : null;
}

/** Parse this page's fragment and remove it from the address and the history. */
export function takeFragment() {
  const link = parseFragment(location.hash);
  const broken = !link && location.hash.length > 1;
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return { link, broken };
}

/** Return where the API is: beside this page. */
export const apiUrl = () => new URL("mobile/v1", location.href).href;
