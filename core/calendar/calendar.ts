/**
 * Calendar arithmetic for the whole house: dates are `YYYY-MM-DD` strings, wall-clock times `HH:MM`,
 * instants UTC. No clock is read here: `now` and the zone are arguments.
 */
export * from "./dates.ts";
export * from "./times.ts";
export * from "./zones.ts";
