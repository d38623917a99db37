const { reporters } = require("mocha");

/** Dots while it runs, the failures at the end, and the count told to the parent. */
module.exports = class Counting extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    runner.once("end", () => process.send?.({ passed: this.stats.passes, failed: this.stats.failures }));
  }
};
