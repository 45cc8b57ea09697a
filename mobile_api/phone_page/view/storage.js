/** What a person chose on this phone, and the sign-in of this tab. */

/** Use a storage; where site data are blocked it throws: then nothing outlasts the page. */
export function inStorage(use, name = "localStorage") {
  try {
    return use(globalThis[name]);
  } catch {
    return null;
  }
}
