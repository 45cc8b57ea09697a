// Posts the answer to the app. Without scripts, the person presses the button.
"use strict";

document.getElementById("answer").requestSubmit();
