import { later } from "../../core/values/later.ts";

/** Scales and paths of charts, loaded when the first chart is drawn. */
export const d3Scale = later<typeof import("d3-scale")>("d3-scale");
export const d3Shape = later<typeof import("d3-shape")>("d3-shape");
