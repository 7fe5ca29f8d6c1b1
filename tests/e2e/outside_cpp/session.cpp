// A C++ program of somebody else, who has dlc's package: describes a model, trains it and says how the loss
// falls.
#include <cstdio>
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <exception>
#include <vector>

int main() try {
  dlc::manual_seed(0);
  dlc::nn::Linear net(4, 2);
  dlc::Session session(dlc::program(net, dlc::loss::MSE(), dlc::optim::SGD({.lr = 0.1}),
                                    dlc::input("x", {dlc::Dim("batch", 3), 4})));
  std::vector<float> x(12, 0.5f), y(6, 1.0f);
  float first = 0, last = 0;
  for (int step = 0; step < 20; ++step) {
    last = session.train_step(dlc::View(x, {3, 4}), dlc::View(y, {3, 2}));
    first = step ? first : last;
  }
  std::printf("%.6f, then %.6f: %s\n", first, last, last < 0.1f * first ? "trained" : "not trained");
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
