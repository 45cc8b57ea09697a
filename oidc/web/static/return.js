// Leads on to the app. Without scripts the page refreshes itself, or the person presses the button.
"use strict";

const answer = document.getElementById("answer");
if (answer.href) location.replace(answer.href);
else answer.requestSubmit();
