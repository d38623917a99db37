const { reporters } = require("mocha");

/** Dots while it runs, the name of a failure at once and its details at the end, and the count told to the parent. */
module.exports = class Counting extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    runner.on("fail", (test) => process.stdout.write(`\n  failed: ${test.fullTitle()}\n  `));
    runner.once("end", () => process.send?.({ passed: this.stats.passes, failed: this.stats.failures }));
  }
};
