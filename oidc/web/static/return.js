// Leads on to the app. Without scripts the page refreshes itself, or the person presses the button.
"use strict";

const answer = document.getElementById("answer");
// An app's own scheme leaves this page where it is: it must be whole by then.
if (answer.href) addEventListener("load", () => location.replace(answer.href));
else answer.requestSubmit();
