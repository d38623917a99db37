import { expect } from "chai";
import { deviceOf } from "../../../services/api/pages/account/devices.ts";

const WORDS = { on: "on", unknown: "Unknown device" };
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";

describe("a device in words", () => {
  const table: [string | null, string][] = [
    [`${WINDOWS.slice(0, -1)}; rv:133.0) Gecko/20100101 Firefox/133.0`, "Firefox on Windows"],
    [`${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36`, "Chrome on Windows"],
    [`${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, "Edge on Windows"],
    [`${WINDOWS} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`, "Opera on Windows"],
    [`${MAC}/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, "Safari on macOS"],
    [`${MAC}/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36`, "Chrome on macOS"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    [
      "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1",
      "Chrome on iPad",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/133.0 Mobile/15E148 Safari/605.1.15",
      "Firefox on iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36",
      "Samsung Internet on Android",
    ],
    [
      "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
      "Chrome on ChromeOS",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox on Linux"],
    ["curl/8.5.0", "curl"],
    ["python-requests/2.32.3", "python-requests"],
    ["Mozilla/5.0 (Windows NT 10.0)", "Windows"],
    ["<script>alert(1)</script>", "Unknown device"],
    ["", "Unknown device"],
    [null, "Unknown device"],
  ];
  for (const [agent, words] of table) it(`${agent} is ${words}`, () => expect(deviceOf(agent, WORDS)).to.equal(words));
});
