// The invitation follows the "#" of its link, which is not sent to the server: fill in the field.
"use strict";

const field = document.getElementById("invitation");
const invitation = location.hash.slice(1);
if (field && /^[\w-]{43}$/.test(invitation)) {
  field.value = invitation;
  history.replaceState(null, "", location.pathname);
}
