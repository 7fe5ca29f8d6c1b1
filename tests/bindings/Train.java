// The training of train.c in Java, with the class that dlc has written.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import mlp.Mlp;

class Train {
    static final int BATCHES = 8, PIXELS = 784, ROWS = 50;
    static FloatBuffer images;
    static LongBuffer labels;

    static ByteBuffer read(String path) throws Exception {
        byte[] content = Files.readAllBytes(Paths.get(path));
        ByteBuffer buffer = ByteBuffer.allocateDirect(content.length).order(ByteOrder.nativeOrder());
        buffer.put(content).flip();
        return buffer;
    }

    static FloatBuffer images(int at, int rows) {
        FloatBuffer part = images.duplicate();
        part.limit((at + rows) * PIXELS).position(at * PIXELS);
        return part;
    }

    static LongBuffer labels(int at, int rows) {
        LongBuffer part = labels.duplicate();
        part.limit(at + rows).position(at);
        return part;
    }

    static float[] imageArray(int at, int rows) {
        float[] array = new float[rows * PIXELS];
        images(at, rows).get(array);
        return array;
    }

    static long[] labelArray(int at, int rows) {
        long[] array = new long[rows];
        labels(at, rows).get(array);
        return array;
    }

    static String bits(float value) { return String.format("%08x", Float.floatToRawIntBits(value)); }
    static String bits(double value) { return String.format("%016x", Double.doubleToRawLongBits(value)); }

    /** Buffers and arrays in turn. */
    static String step(Mlp model, int i) {
        int at = i % BATCHES * Mlp.BATCH;
        return bits(i % 2 == 0 ? model.trainStep(images(at, Mlp.BATCH), labels(at, Mlp.BATCH))
                : model.trainStep(imageArray(at, Mlp.BATCH), labelArray(at, Mlp.BATCH)));
    }

    static void predict(Mlp model) {
        float[] scores = new float[ROWS * 10];
        model.predict(ROWS, imageArray(0, ROWS), scores);
        FloatBuffer again = ByteBuffer.allocateDirect(ROWS * 40 + 4).order(ByteOrder.nativeOrder()).asFloatBuffer();
        again.position(1);
        model.predict(ROWS, images(0, ROWS), again);
        float[] copy = new float[ROWS * 10];
        again.get(copy);
        if (!Arrays.equals(scores, copy)) throw new AssertionError("arrays and buffers differ");
        System.out.println("scores " + bits(scores[0]) + " " + bits(scores[ROWS * 10 - 1]));
    }

    static void print(String name, Mlp.Metrics metrics) {
        System.out.println(name + " " + bits(metrics.lossSum) + " " + bits(metrics.lossWeight) + " " + metrics.correct + " "
                + metrics.count);
    }

    static void entries(Mlp model) {
        List<Mlp.Extra> extras = model.extras();
        System.out.println("entries " + bits(model.extraReadNumber("\u00e9poque")) + " " + model.extraReadText("data") + " "
                + extras.size());
        if (!extras.get(0).name.equals("\u00e9poque") || !extras.get(0).isNumber || !extras.get(1).name.equals("data")
                || extras.get(1).isNumber)
            throw new AssertionError("other entries");
        model.extraRemove("data");
        System.out.println("left " + model.extras().size());
        library(() -> model.extraReadText("data"));
    }

    static void library(Runnable call) {
        try {
            call.run();
        } catch (Mlp.ModelException error) {
            System.out.println("library " + error.status.number + ": " + error.getMessage());
            return;
        }
        throw new AssertionError("nothing was refused");
    }

    static void refused(Runnable call) {
        try {
            call.run();
        } catch (IllegalArgumentException | IllegalStateException | Mlp.ModelException error) {
            System.out.println("refused: " + error.getMessage());
            return;
        }
        throw new AssertionError("nothing was refused");
    }

    public static void main(String[] arguments) throws Exception {
        String folder = arguments[0];
        images = read(folder + "/images.bin").asFloatBuffer();
        labels = read(folder + "/labels.bin").asLongBuffer();
        Mlp.Options options = new Mlp.Options();
        options.seed = 5L;
        options.threads = 1;
        Mlp other = new Mlp(options);
        try (Mlp model = new Mlp(options)) {
            train(model, other, folder);
            options.weightsPath = folder + "/missing";
            library(() -> new Mlp(options));
            refuse(model);
            predict(model);
            other.close();
            other.close();
            refused(() -> other.apply());
            refused(() -> model.copyState(other));
        }
    }

    static void train(Mlp model, Mlp other, String folder) {
        for (int i = 0; i < 24; ++i) System.out.println("loss " + step(model, i));
        int batch = Mlp.BATCH;
        System.out.println("grad_step " + bits(model.gradStep(images(0, batch), labels(0, batch))));
        print("step_metrics", model.stepMetrics());
        System.out.println("accumulate " + bits(model.accumulate(images(batch, batch), labels(batch, batch))));
        System.out.println("sync " + bits(model.sync()));
        System.out.println("norm " + bits(model.gradNorm()));
        float[] bias = new float[128];
        model.readGradient("fc2.bias", bias);
        System.out.println("gradient " + bits(bias[127]));
        bias[127] = 0.5f;
        model.writeGradient("fc2.bias", bias);
        model.setLearningRate(0.002);
        System.out.println("rate " + bits(model.getLearningRate()));
        model.apply();
        System.out.println("steps " + model.stepCount());
        FloatBuffer buffer = ByteBuffer.allocateDirect(512).order(ByteOrder.nativeOrder()).asFloatBuffer();
        model.readParameter("fc2.bias", buffer);
        System.out.println("parameter " + bits(buffer.get(127)));
        buffer.put(127, 0.25f);
        model.writeParameter("fc2.bias", buffer);

        print("metrics", model.evalStep(ROWS, images(0, ROWS), labels(0, ROWS)));
        predict(model);

        String path = folder + "/state.safetensors";
        model.extraWriteNumber("\u00e9poque", 7.25);
        model.extraWriteText("data", "fashion, normalized");
        model.save(path);
        System.out.println("next " + step(model, 0));
        model.load(path);
        System.out.println("again " + step(model, 0));
        model.setSeed(9);
        System.out.println("seeded " + step(model, 1));
        byte[] memory = model.saveToMemory();
        System.out.println("bytes " + memory.length);
        library(() -> other.stepMetrics());
        other.loadFromMemory(memory);
        entries(other);
        predict(other);
        System.out.println("ahead " + step(other, 2));
        model.copyState(other);
        predict(model);
        allAtOnce(model);
        predict(model);

        long[] wrong = labelArray(0, batch);
        wrong[3] = 10;
        library(() -> model.trainStep(imageArray(0, batch), wrong));
        library(() -> model.setLearningRate(-1));
        library(() -> model.load(folder + "/missing"));
    }

    static void allAtOnce(Mlp model) {
        int batch = Mlp.BATCH, count = 0, trained = 235146;
        for (Mlp.Parameter parameter : Mlp.PARAMETERS) {
            int elements = 1;
            for (long extent : parameter.shape()) elements *= extent;
            count += elements;
        }
        float[] all = new float[count];
        model.parametersReadAll(all, false);
        System.out.println("all " + bits(all[0]) + " " + bits(all[count - 1]));
        FloatBuffer buffer = ByteBuffer.allocateDirect(4 * trained).order(ByteOrder.nativeOrder()).asFloatBuffer();
        buffer.put(all, 0, trained);
        buffer.rewind();
        buffer.put(1, 0.5f);
        model.parametersWriteAll(buffer, true);
        model.gradStep(images(0, batch), labels(0, batch));
        model.gradientsReadAll(buffer);
        System.out.println("gradients " + bits(buffer.get(trained - 1)));
        buffer.put(2, 0.25f);
        float[] gradients = new float[trained], product = new float[trained];
        buffer.get(gradients);
        model.gradientsWriteAll(gradients);
        model.hvp(ROWS, imageArray(0, ROWS), labelArray(0, ROWS), gradients, product);
        System.out.println("product " + bits(product[trained - 1]));
        model.apply();
        library(() -> model.trainStepContinue(0));
        float[] input = imageArray(0, batch);
        model.trainStepBegin(input, labelArray(0, batch));
        Arrays.fill(input, Float.NaN); // the step has its own
        library(() -> model.predict(ROWS, imageArray(0, ROWS), new float[ROWS * 10]));
        int slices = 1;
        while (!model.trainStepContinue(0)) ++slices;
        System.out.println("slices " + slices + " " + bits(model.sync()));
    }

    /** Predictions in two threads, until one of them has got in between. */
    static void busy(Mlp model) throws InterruptedException {
        AtomicBoolean met = new AtomicBoolean();
        float[] image = imageArray(0, ROWS);
        Runnable predicts = () -> {
            float[] scores = new float[ROWS * 10];
            while (!met.get()) {
                try {
                    model.predict(ROWS, image, scores);
                } catch (Mlp.ModelException error) {
                    if (error.status != Mlp.Status.BUSY) throw error;
                    if (!met.getAndSet(true)) System.out.println("refused: " + error.getMessage());
                }
            }
        };
        Thread other = new Thread(predicts);
        other.start();
        predicts.run();
        other.join();
    }

    static void refuse(Mlp model) throws InterruptedException {
        int batch = Mlp.BATCH;
        float[] first = imageArray(0, batch);
        refused(() -> model.trainStep(new float[batch * PIXELS - 1], new long[batch]));
        refused(() -> model.trainStep(first, new long[batch + 1]));
        refused(() -> model.predict(0, first, new float[10]));
        refused(() -> model.predict(65, first, new float[10]));
        refused(() -> model.predict(1, new float[PIXELS], new float[9]));
        refused(() -> model.evalStep(2, images(0, 1), labels(0, 2)));
        refused(() -> model.readParameter("fc9.bias", new float[128]));
        refused(() -> model.readParameter("fc2.bias", ByteBuffer.allocateDirect(508).order(ByteOrder.nativeOrder()).asFloatBuffer()));
        refused(() -> model.writeParameter("fc2.bias", new float[127]));
        refused(() -> model.writeGradient("fc2.bias", new float[127]));
        refused(() -> model.save("a\0b"));
        refused(() -> model.extraReadNumber("a\0b"));
        refused(() -> model.extraWriteText("data", "a\0b"));
        refused(() -> model.parametersReadAll(new float[3], true));
        refused(() -> model.gradientsWriteAll(new float[3]));
        refused(() -> model.trainStepBegin(new float[batch * PIXELS - 1], new long[batch]));
        busy(model);
        refused(() -> model.trainStep(FloatBuffer.wrap(first), labels(0, batch)));
        refused(() -> model.trainStep(ByteBuffer.allocateDirect(batch * PIXELS * 4).order(ByteOrder.BIG_ENDIAN).asFloatBuffer(),
                labels(0, batch)));
        refused(() -> model.predict(1, images(0, 1),
                ByteBuffer.allocateDirect(40).order(ByteOrder.nativeOrder()).asFloatBuffer().asReadOnlyBuffer()));
        //wrong type: model.trainStep(new double[batch * PIXELS], new long[batch]);
    }
}
