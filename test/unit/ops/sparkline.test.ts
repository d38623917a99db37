import { expect } from "chai";
import { sparkline } from "../../../services/api/ops/elements.ts";

describe("plots on a page", () => {
  it("are lines, one for each run of values, with a text for those who do not see them", () => {
    const { text } = sparkline([1, 2, null, 4, 5, 6], "Requests <hour>");
    expect(text).to.contain('role="img" aria-label="Requests &#60;hour&#62;"');
    expect(/class="line" d="([^"]*)"/.exec(text)?.[1]?.match(/M/g)).to.have.length(2);
  });
});
