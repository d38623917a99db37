import { expect } from "chai";
import { resendWait } from "../../../services/access/members/resend-rule.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

describe("sending an invite again", () => {
  const table: [string, number[], number][] = [
    ["never before", [], 0],
    ["just now", [0], 60],
    ["59.2 seconds ago", [59.2], 1],
    ["a minute ago", [60], 0],
    ["long ago and just now", [HOUR, 10], 50],
    ["nine times today", Array.from({ length: 9 }, (_, at) => (at + 1) * HOUR), 0],
    ["ten times today, the first 23 hours ago", [...Array.from({ length: 9 }, (_, at) => (at + 1) * HOUR), 23 * HOUR], HOUR],
    ["ten times, the first a day ago", [...Array.from({ length: 9 }, (_, at) => (at + 1) * HOUR), DAY], 0],
    ["ten times today, the last one just now", [5, ...Array.from({ length: 9 }, (_, at) => (at + 1) * HOUR)], DAY - 9 * HOUR],
  ];
  for (const [what, ages, wait] of table) it(`${what}: in ${wait} s`, () => expect(resendWait(ages)).to.equal(wait));
});
