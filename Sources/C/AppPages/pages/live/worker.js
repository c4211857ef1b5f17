// The shared worker of all pages that follow the timeline.

import {Hub} from "./hub.js";

const hub = new Hub();

addEventListener("connect", event => hub.connect(event.ports[0]));
