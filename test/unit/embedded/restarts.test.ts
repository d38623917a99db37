import { expect } from "chai";
import { isStartedAgain } from "../../../core/embedded/restarts.ts";

describe("a database server that has ended", () => {
  const second = 1000;
  for (const [what, ends, again] of [
    ["once", [0], true],
    ["twice at once", [0, 1], true],
    ["for the third time within a minute", [0, 20 * second, 59 * second], false],
    ["for the third time in a minute and a bit", [0, 20 * second, 60 * second], true],
    ["every half minute for an hour", Array.from({ length: 120 }, (_, time) => time * 30 * second), true],
    ["three times in a minute after a quiet day", [0, 86_400 * second, 86_401 * second, 86_402 * second], false],
  ] as const)
    it(`is ${again ? "" : "not "}started again: ${what}`, () => {
      expect(isStartedAgain(ends)).to.equal(again);
    });
});
