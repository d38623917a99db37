import { at } from "./svg.ts";

/** A rectangle in pixels. */
interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The directions of hatching, none first. */
export const HATCHES = [null, "rising", "falling", "horizontal", "vertical"] as const;
export type Hatch = Exclude<(typeof HATCHES)[number], null>;

/** Pixels between two lines, measured along an edge. */
const GAP = 5;

type Segment = readonly [x1: number, y1: number, x2: number, y2: number];

/** The lines of each direction within a width and height, at a distance from the upper left corner along the edges. */
const SEGMENTS: Readonly<Record<Hatch, (distance: number, width: number, height: number) => Segment>> = {
  rising: (distance, width, height) => [
    Math.max(0, distance - height),
    Math.min(height, distance),
    Math.min(width, distance),
    Math.max(0, distance - width),
  ],
  falling: (distance, width, height) => [
    Math.max(0, distance - height),
    Math.max(0, height - distance),
    Math.min(width, distance),
    Math.min(height, height - distance + width),
  ],
  horizontal: (distance, width) => [0, distance, width, distance],
  vertical: (distance, _width, height) => [distance, 0, distance, height],
};
const REACH: Readonly<Record<Hatch, (width: number, height: number) => number>> = {
  rising: (width, height) => width + height,
  falling: (width, height) => width + height,
  horizontal: (_width, height) => height,
  vertical: (width) => width,
};

/** Hatches an area by plain lines that end at its edges: a chart has no references, so it has no SVG patterns. */
export function hatched(hatch: Hatch, { left, top, width, height }: Area, stroke: string): string {
  const many = Math.max(0, Math.ceil(REACH[hatch](width, height) / GAP - 0.5));
  const lines = Array.from({ length: many }, (_, index) => SEGMENTS[hatch]((index + 0.5) * GAP, width, height));
  const path = lines.map(([x1, y1, x2, y2]) => `M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}`).join("");
  return path === ""
    ? ""
    : `<path transform="translate(${at(left)} ${at(top)})" d="${path}" fill="none" stroke="${stroke}" stroke-width="1.25"/>`;
}
