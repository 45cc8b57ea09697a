/** What a person chose on this phone. */

/** Use localStorage; some private windows throw: then a choice lasts as long as the page. */
export function inStorage(use) {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}
