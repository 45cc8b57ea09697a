// The invitation is behind the "#" of its link, which no server sees: it goes into the field.
"use strict";

const field = document.getElementById("invitation");
const invitation = location.hash.slice(1);
if (field && /^[\w-]{43}$/.test(invitation)) {
  field.value = invitation;
  history.replaceState(null, "", location.pathname);
}
