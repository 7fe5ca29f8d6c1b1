// The training of train.c in C#, with the class that dlc has written.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using Dlc.Mlp;

static class Train
{
    const int Batches = 8, Pixels = 784, Rows = 50;
    static float[] images;
    static long[] labels;

    static T[] Read<T>(string path, int bytes)
    {
        byte[] content = File.ReadAllBytes(path);
        T[] values = new T[content.Length / bytes];
        Buffer.BlockCopy(content, 0, values, 0, content.Length);
        return values;
    }

    static ArraySegment<float> Images(int at, int rows) { return new ArraySegment<float>(images, at * Pixels, rows * Pixels); }
    static ArraySegment<long> Labels(int at, int rows) { return new ArraySegment<long>(labels, at, rows); }
    static string Bits(float value) { return BitConverter.ToUInt32(BitConverter.GetBytes(value), 0).ToString("x8"); }
    static string Bits(double value) { return BitConverter.DoubleToInt64Bits(value).ToString("x16"); }
    static void Print(string text) { Console.Out.Write(text + "\n"); }

    static string Step(Model model, int i)
    {
        int at = i % Batches * Model.Batch;
        return Bits(model.TrainStep(Images(at, Model.Batch), Labels(at, Model.Batch)));
    }

    static void Predict(Model model)
    {
        float[] scores = new float[Rows * 10];
        model.Predict(Rows, Images(0, Rows), new ArraySegment<float>(scores));
        Print("scores " + Bits(scores[0]) + " " + Bits(scores[Rows * 10 - 1]));
    }

    static void PrintMetrics(string name, Metrics metrics)
    {
        Print(name + " " + Bits(metrics.LossSum) + " " + Bits(metrics.LossWeight) + " " + metrics.Correct + " " + metrics.Count);
    }

    static void Entries(Model model)
    {
        IList<Extra> extras = model.Extras();
        Print("entries " + Bits(model.ExtraReadNumber("\u00e9poque")) + " " + model.ExtraReadText("data") + " " + extras.Count);
        if (extras[0].Name != "\u00e9poque" || !extras[0].IsNumber || extras[1].Name != "data" || extras[1].IsNumber)
            throw new Exception("other entries");
        model.ExtraRemove("data");
        Print("left " + model.Extras().Count);
        Library(() => model.ExtraReadText("data"));
    }

    static void Library(Action call)
    {
        try { call(); }
        catch (ModelException error) { Print("library " + (int)error.Status + ": " + error.Message); return; }
        throw new Exception("nothing was refused");
    }

    static void Refused(Action call)
    {
        try { call(); }
        catch (ArgumentException error) { Print("refused: " + error.Message.Split((char)10)[0]); return; }
        catch (ModelException error) { Print("refused: " + error.Message); return; }
        throw new Exception("nothing was refused");
    }

    static void AllAtOnce(Model model)
    {
        int batch = Model.Batch, count = 0, trained = 235146;
        foreach (Parameter parameter in Model.Parameters)
        {
            int elements = 1;
            foreach (int extent in parameter.Shape) elements *= extent;
            count += elements;
        }
        float[] all = new float[count], some = new float[trained], product = new float[trained];
        model.ParametersReadAll(all, false);
        Print("all " + Bits(all[0]) + " " + Bits(all[count - 1]));
        Array.Copy(all, some, trained);
        some[1] = 0.5f;
        model.ParametersWriteAll(some, true);
        model.GradStep(Images(0, batch), Labels(0, batch));
        model.GradientsReadAll(some);
        Print("gradients " + Bits(some[trained - 1]));
        some[2] = 0.25f;
        model.GradientsWriteAll(some);
        model.Hvp(Rows, Images(0, Rows), Labels(0, Rows), new ArraySegment<float>(some), new ArraySegment<float>(product));
        Print("product " + Bits(product[trained - 1]));
        model.Apply();
        Library(() => model.TrainStepContinue(0));
        float[] input = new float[batch * Pixels];
        Array.Copy(images, input, input.Length);
        model.TrainStepBegin(new ArraySegment<float>(input), Labels(0, batch));
        for (int i = 0; i < input.Length; ++i) input[i] = float.NaN; // the step has its own
        Library(() => model.Predict(Rows, Images(0, Rows), new ArraySegment<float>(new float[Rows * 10])));
        int slices = 1;
        while (!model.TrainStepContinue(0)) ++slices;
        Print("slices " + slices + " " + Bits(model.Sync()));
    }

    /// <summary>Predictions in two threads, until one of them has got in between.</summary>
    static void Busy(Model model)
    {
        int met = 0;
        ThreadStart predicts = () =>
        {
            float[] scores = new float[Rows * 10];
            while (Thread.VolatileRead(ref met) == 0)
            {
                try { model.Predict(Rows, Images(0, Rows), new ArraySegment<float>(scores)); }
                catch (ModelException error)
                {
                    if (error.Status != Status.Busy) throw;
                    if (Interlocked.Exchange(ref met, 1) == 0) Print("refused: " + error.Message);
                }
            }
        };
        Thread other = new Thread(predicts);
        other.Start();
        predicts();
        other.Join();
    }

    static void Main(string[] arguments)
    {
        string folder = arguments[0];
        images = Read<float>(folder + "/images.bin", 4);
        labels = Read<long>(folder + "/labels.bin", 8);
        Options options = new Options { Seed = 5, Threads = 1 };
        Model model = new Model(options);
        for (int i = 0; i < 24; ++i) Print("loss " + Step(model, i));

        int batch = Model.Batch;
        Print("grad_step " + Bits(model.GradStep(Images(0, batch), Labels(0, batch))));
        PrintMetrics("step_metrics", model.StepMetrics());
        Print("accumulate " + Bits(model.Accumulate(Images(batch, batch), Labels(batch, batch))));
        Print("sync " + Bits(model.Sync()));
        Print("norm " + Bits(model.GradNorm()));
        float[] bias = new float[128];
        model.ReadGradient("fc2.bias", bias);
        Print("gradient " + Bits(bias[127]));
        bias[127] = 0.5f;
        model.WriteGradient("fc2.bias", bias);
        model.LearningRate = 0.002;
        Print("rate " + Bits(model.LearningRate));
        model.Apply();
        Print("steps " + model.StepCount);
        model.ReadParameter("fc2.bias", bias);
        Print("parameter " + Bits(bias[127]));
        bias[127] = 0.25f;
        model.WriteParameter("fc2.bias", bias);

        PrintMetrics("metrics", model.EvalStep(Rows, Images(0, Rows), Labels(0, Rows)));
        Predict(model);

        string path = folder + "/state.safetensors";
        model.ExtraWriteNumber("\u00e9poque", 7.25);
        model.ExtraWriteText("data", "fashion, normalized");
        model.Save(path);
        Print("next " + Step(model, 0));
        model.Load(path);
        Print("again " + Step(model, 0));
        model.SetSeed(9);
        Print("seeded " + Step(model, 1));
        byte[] memory = model.SaveToMemory();
        Print("bytes " + memory.Length);
        Model other = new Model(options);
        Library(() => other.StepMetrics());
        other.LoadFromMemory(memory);
        Entries(other);
        Predict(other);
        Print("ahead " + Step(other, 2));
        model.CopyState(other);
        Predict(model);
        AllAtOnce(model);
        Predict(model);

        long label = labels[3];
        labels[3] = 10;
        Library(() => model.TrainStep(Images(0, batch), Labels(0, batch)));
        labels[3] = label;
        Library(() => model.LearningRate = -1);
        Library(() => model.Load(folder + "/missing"));
        options.WeightsPath = folder + "/missing";
        Library(() => new Model(options));

        float[] first = new float[batch * Pixels], scores = new float[10];
        Refused(() => model.TrainStep(new ArraySegment<float>(images, 0, batch * Pixels - 1), Labels(0, batch)));
        Refused(() => model.TrainStep(first, new long[batch + 1]));
        Refused(() => model.Predict(0, first, scores));
        Refused(() => model.Predict(65, first, scores));
        Refused(() => model.Predict(1, new float[Pixels], new float[9]));
        Refused(() => model.EvalStep(2, new float[Pixels], new long[2]));
        Refused(() => model.ReadParameter("fc9.bias", bias));
        Refused(() => model.ReadParameter("fc2.bias", new double[128]));
        Refused(() => model.WriteParameter("fc2.bias", new float[127]));
        Refused(() => model.WriteGradient("fc2.bias", new float[127]));
        Refused(() => model.Save("a\0b"));
        Refused(() => model.ExtraReadNumber("a\0b"));
        Refused(() => model.ExtraWriteText("data", "a\0b"));
        Refused(() => model.ParametersReadAll(new float[3], true));
        Refused(() => model.GradientsWriteAll(new float[3]));
        Refused(() => model.TrainStepBegin(new float[batch * Pixels - 1], new long[batch]));
        Busy(model);
        Predict(model);
        Refused(() => model.TrainStep(null, new long[batch]));
        Refused(() => model.TrainStep(default(ArraySegment<float>), Labels(0, batch)));
        other.Dispose();
        other.Dispose();
        try { other.Apply(); } catch (ObjectDisposedException) { Print("refused: disposed"); }
        model.Dispose();
        //wrong type: model.TrainStep(new double[batch * Pixels], new long[batch]);
    }
}
