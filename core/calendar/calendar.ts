/**
 * Calendar arithmetic for the whole service: dates are `YYYY-MM-DD` strings, wall-clock times `HH:MM`, instants UTC. It never reads the
 * clock: `now` and the zone are arguments.
 */
export * from "./dates.ts";
export * from "./times.ts";
export * from "./zones.ts";
