/* Pages that are opened from the disk may start no workers, which the theme searches with: a hidden frame of the same
 * page does a worker's work there.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      const script = frame.contentDocument.createElement("script");
      this.ready = new Promise(resolve => { script.onload = resolve; });
      script.src = new URL(address, location.href);
      frame.contentDocument.body.append(script);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", {data})));
    }
  };
}
