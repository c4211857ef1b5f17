import "./lib/nav.js";
