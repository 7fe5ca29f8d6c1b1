// The training of train.c in Go, with the package that dlc has written.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"example/mlp"
)

const (
	batches = 8
	pixels  = 784
	rows    = 50
)

var images [batches * mlp.Batch * pixels]float32
var labels [batches * mlp.Batch]int64

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func read(path string, to any) {
	content, err := os.ReadFile(path)
	must(err)
	must(binary.Read(bytes.NewReader(content), binary.LittleEndian, to))
}

func bits(loss float32, err error) uint32 {
	must(err)
	return math.Float32bits(loss)
}

func step(m *mlp.Model, i int) uint32 {
	at := i % batches * mlp.Batch
	return bits(m.TrainStep(images[at*pixels:(at+mlp.Batch)*pixels], labels[at:at+mlp.Batch]))
}

func predict(m *mlp.Model) {
	var scores [rows * 10]float32
	must(m.Predict(rows, images[:rows*pixels], scores[:]))
	fmt.Printf("scores %08x %08x\n", math.Float32bits(scores[0]), math.Float32bits(scores[rows*10-1]))
}

func printMetrics(name string, metrics mlp.Metrics) {
	fmt.Printf("%s %016x %016x %d %d\n", name, math.Float64bits(metrics.LossSum), math.Float64bits(metrics.LossWeight),
		metrics.Correct, metrics.Count)
}

func entries(m *mlp.Model) {
	number, err := m.ExtraReadNumber("époque")
	must(err)
	content, err := m.ExtraReadText("data")
	must(err)
	extras, err := m.Extras()
	must(err)
	fmt.Printf("entries %016x %s %d\n", math.Float64bits(number), content, len(extras))
	if extras[0] != (mlp.Extra{Name: "époque", IsNumber: true}) || extras[1] != (mlp.Extra{Name: "data"}) {
		panic(extras)
	}
	must(m.ExtraRemove("data"))
	extras, err = m.Extras()
	must(err)
	fmt.Println("left", len(extras))
	_, err = m.ExtraReadText("data")
	library(err)
}

func library(err error) {
	fmt.Printf("library %d: %s\n", err.(*mlp.Error).Status, err)
}

func refused(err error) {
	fmt.Println("refused:", err.(*mlp.Error))
}

func allAtOnce(m *mlp.Model) {
	count := 0
	for _, parameter := range mlp.Parameters() {
		elements := 1
		for _, extent := range parameter.Shape {
			elements *= extent
		}
		count += elements
	}
	const trained, size = 235146, mlp.Batch * pixels
	all := make([]float32, count)
	must(m.ParametersReadAll(all, false))
	fmt.Printf("all %08x %08x\n", math.Float32bits(all[0]), math.Float32bits(all[count-1]))
	all[1] = 0.5
	must(m.ParametersWriteAll(all[:trained], true))
	_, err := m.GradStep(images[:size], labels[:mlp.Batch])
	must(err)
	must(m.GradientsReadAll(all[:trained]))
	fmt.Printf("gradients %08x\n", math.Float32bits(all[trained-1]))
	all[2] = 0.25
	must(m.GradientsWriteAll(all[:trained]))
	product := make([]float32, trained)
	must(m.Hvp(rows, images[:rows*pixels], labels[:rows], all[:trained], product))
	fmt.Printf("product %08x\n", math.Float32bits(product[trained-1]))
	must(m.Apply())
	_, err = m.TrainStepContinue(0)
	library(err)
	input := append([]float32(nil), images[:size]...)
	must(m.TrainStepBegin(input, labels[:mlp.Batch]))
	for i := range input {
		input[i] = float32(math.NaN()) // the step has its own
	}
	library(m.Predict(rows, images[:rows*pixels], make([]float32, rows*10)))
	slices, done := 0, false
	for ; !done; slices++ {
		done, err = m.TrainStepContinue(0)
		must(err)
	}
	fmt.Printf("slices %d %08x\n", slices, bits(m.Sync()))
}

// busy predicts in two goroutines until one of them has got in between.
func busy(m *mlp.Model) {
	var met int32
	var group sync.WaitGroup
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			scores := make([]float32, rows*10)
			for atomic.LoadInt32(&met) == 0 {
				if err := m.Predict(rows, images[:rows*pixels], scores); err != nil {
					if err.(*mlp.Error).Status != mlp.StatusBusy {
						panic(err)
					}
					if atomic.SwapInt32(&met, 1) == 0 {
						refused(err)
					}
				}
			}
		}()
	}
	group.Wait()
}

func main() {
	folder := os.Args[1]
	read(folder+"/images.bin", &images)
	read(folder+"/labels.bin", &labels)
	seed := uint64(5)
	options := mlp.Options{Seed: &seed, Threads: 1}
	m, err := mlp.New(&options)
	must(err)
	for i := 0; i < 24; i++ {
		fmt.Printf("loss %08x\n", step(m, i))
	}

	const size = mlp.Batch * pixels
	fmt.Printf("grad_step %08x\n", bits(m.GradStep(images[:size], labels[:mlp.Batch])))
	metrics, err := m.StepMetrics()
	must(err)
	printMetrics("step_metrics", metrics)
	fmt.Printf("accumulate %08x\n", bits(m.Accumulate(images[size:2*size], labels[mlp.Batch:2*mlp.Batch])))
	fmt.Printf("sync %08x\n", bits(m.Sync()))
	norm, err := m.GradNorm()
	must(err)
	fmt.Printf("norm %016x\n", math.Float64bits(norm))
	bias := make([]float32, 128)
	must(mlp.ReadGradient(m, "fc2.bias", bias))
	fmt.Printf("gradient %08x\n", math.Float32bits(bias[127]))
	bias[127] = 0.5
	must(mlp.WriteGradient(m, "fc2.bias", bias))
	must(m.SetLearningRate(0.002))
	rate, err := m.LearningRate()
	must(err)
	fmt.Printf("rate %016x\n", math.Float64bits(rate))
	must(m.Apply())
	count, err := m.StepCount()
	must(err)
	fmt.Println("steps", count)
	must(mlp.ReadParameter(m, "fc2.bias", bias))
	fmt.Printf("parameter %08x\n", math.Float32bits(bias[127]))
	bias[127] = 0.25
	must(mlp.WriteParameter(m, "fc2.bias", bias))

	metrics, err = m.EvalStep(rows, images[:rows*pixels], labels[:rows])
	must(err)
	printMetrics("metrics", metrics)
	predict(m)

	path := folder + "/state.safetensors"
	must(m.ExtraWriteNumber("époque", 7.25))
	must(m.ExtraWriteText("data", "fashion, normalized"))
	must(m.Save(path))
	fmt.Printf("next %08x\n", step(m, 0))
	must(m.Load(path))
	fmt.Printf("again %08x\n", step(m, 0))
	must(m.SetSeed(9))
	fmt.Printf("seeded %08x\n", step(m, 1))
	memory, err := m.SaveToMemory()
	must(err)
	fmt.Println("bytes", len(memory))
	other, err := mlp.New(&options)
	must(err)
	_, err = other.StepMetrics()
	library(err)
	must(other.LoadFromMemory(memory))
	entries(other)
	predict(other)
	fmt.Printf("ahead %08x\n", step(other, 2))
	must(m.CopyState(other))
	predict(m)
	allAtOnce(m)
	predict(m)

	label := labels[3]
	labels[3] = 10
	_, err = m.TrainStep(images[:size], labels[:mlp.Batch])
	library(err)
	labels[3] = label
	library(m.SetLearningRate(-1))
	library(m.Load(folder + "/missing"))
	options.WeightsPath = folder + "/missing"
	_, err = mlp.New(&options)
	library(err)

	_, err = m.TrainStep(images[1:size], labels[:mlp.Batch])
	refused(err)
	_, err = m.TrainStep(images[:size], labels[:mlp.Batch+1])
	refused(err)
	scores := make([]float32, 10)
	refused(m.Predict(0, images[:size], scores))
	refused(m.Predict(65, images[:size], scores))
	refused(m.Predict(1, images[:pixels], scores[:9]))
	_, err = m.EvalStep(2, images[:pixels], labels[:2])
	refused(err)
	refused(mlp.ReadParameter(m, "fc9.bias", bias))
	refused(mlp.ReadParameter(m, "fc2.bias", make([]float64, 128)))
	refused(mlp.WriteParameter(m, "fc2.bias", bias[1:]))
	refused(mlp.WriteGradient(m, "fc2.bias", bias[1:]))
	refused(m.Save("a\x00b"))
	_, err = m.ExtraReadNumber("a\x00b")
	refused(err)
	refused(m.ExtraWriteText("data", "a\x00b"))
	refused(m.ParametersReadAll(make([]float32, 3), true))
	refused(m.GradientsWriteAll(make([]float32, 3)))
	refused(m.TrainStepBegin(images[1:size], labels[:mlp.Batch]))
	busy(m)
	predict(m)
	must(other.Close())
	must(other.Close())
	refused(other.Apply())
	refused(m.CopyState(other))
	//wrong type: m.TrainStep(make([]float64, size), labels[:mlp.Batch])
}
