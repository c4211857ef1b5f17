// The words for the states of posts, and the styles of their badges.

export const STATES = {
    running: ["publishing", "info"], published: ["published", "good"], failed: ["failed", "bad"], cancelled: ["cancelled", "warn"],
    interrupted: ["interrupted", "warn"], unknown: ["unknown", "warn"],
};
