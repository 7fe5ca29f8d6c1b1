// The training of train.c in Rust, with the module that dlc has written.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
mod mlp;

use mlp::{Error, Model, Options, Status, BATCH};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const BATCHES: usize = 8;
const PIXELS: usize = 784;
const ROWS: usize = 50;

struct Data {
    images: Vec<f32>,
    labels: Vec<i64>,
}

impl Data {
    fn step(&self, model: &mut Model, i: usize) -> f32 {
        let at = i % BATCHES * BATCH;
        model.train_step(&self.images[at * PIXELS..(at + BATCH) * PIXELS], &self.labels[at..at + BATCH]).unwrap()
    }

    fn predict(&self, model: &Model) {
        let mut scores = [0f32; ROWS * 10];
        model.predict(ROWS, &self.images[..ROWS * PIXELS], &mut scores).unwrap();
        println!("scores {:08x} {:08x}", scores[0].to_bits(), scores[ROWS * 10 - 1].to_bits());
    }
}

fn all_at_once(model: &mut Model, data: &Data) {
    let (mut all, trained) = (vec![0f32; mlp::PARAMETERS.iter().map(|p| p.shape.iter().product::<usize>()).sum()], 235146);
    model.parameters_read_all(&mut all, false).unwrap();
    println!("all {:08x} {:08x}", all[0].to_bits(), all[all.len() - 1].to_bits());
    all[1] = 0.5;
    model.parameters_write_all(&all[..trained], true).unwrap();
    let (images, labels) = (&data.images[..BATCH * PIXELS], &data.labels[..BATCH]);
    model.grad_step(images, labels).unwrap();
    model.gradients_read_all(&mut all[..trained]).unwrap();
    println!("gradients {:08x}", all[trained - 1].to_bits());
    all[2] = 0.25;
    model.gradients_write_all(&all[..trained]).unwrap();
    let mut product = vec![0f32; trained];
    model.hvp(ROWS, &images[..ROWS * PIXELS], &labels[..ROWS], &all[..trained], &mut product).unwrap();
    println!("product {:08x}", product[trained - 1].to_bits());
    model.apply().unwrap();
    library(model.train_step_continue(0), Status::Unavailable, 11);
    let mut copy = images.to_vec();
    model.train_step_begin(&copy, labels).unwrap();
    copy.fill(f32::NAN); // the step has its own
    library(model.predict(ROWS, &images[..ROWS * PIXELS], &mut [0f32; ROWS * 10]), Status::Busy, 10);
    let mut slices = 1;
    while !model.train_step_continue(0).unwrap() {
        slices += 1;
    }
    println!("slices {} {:08x}", slices, model.sync().unwrap().to_bits());
}

/// Predictions in two threads, which safe Rust would not let share a model, until one of them has got in between.
fn busy(model: &Model, images: &[f32]) {
    struct Shared<'a>(&'a Model);
    unsafe impl Sync for Shared<'_> {}
    impl Shared<'_> {
        fn predict(&self, images: &[f32], met: &AtomicBool) {
            let mut scores = [0f32; ROWS * 10];
            while !met.load(Ordering::SeqCst) {
                if let Err(error) = self.0.predict(ROWS, images, &mut scores) {
                    assert_eq!(error.status, Status::Busy);
                    if !met.swap(true, Ordering::SeqCst) {
                        println!("refused: {}", error);
                    }
                }
            }
        }
    }
    let (shared, met) = (Shared(model), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| shared.predict(images, &met));
        }
    });
}

fn print_metrics(name: &str, metrics: &mlp::Metrics) {
    println!("{} {:016x} {:016x} {} {}", name, metrics.loss_sum.to_bits(), metrics.loss_weight.to_bits(), metrics.correct,
             metrics.count);
}

fn entries(model: &mut Model) {
    let number = model.extra_read_number("\u{e9}poque").unwrap();
    let extras = model.extras().unwrap();
    println!("entries {:016x} {} {}", number.to_bits(), model.extra_read_text("data").unwrap(), extras.len());
    assert_eq!(extras[0], mlp::Extra { name: "\u{e9}poque".to_string(), is_number: true });
    assert_eq!(extras[1], mlp::Extra { name: "data".to_string(), is_number: false });
    model.extra_remove("data").unwrap();
    println!("left {}", model.extras().unwrap().len());
    library(model.extra_read_text("data"), Status::InvalidArgument, 1);
}

fn library<T>(result: Result<T, Error>, status: Status, number: i32) {
    let error = result.err().unwrap();
    assert_eq!(error.status, status);
    println!("library {}: {}", number, error);
}

fn refused<T>(result: Result<T, Error>) {
    println!("refused: {}", result.err().unwrap());
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap());
    let bytes = std::fs::read(folder.join("images.bin")).unwrap();
    let images = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let bytes = std::fs::read(folder.join("labels.bin")).unwrap();
    let labels = bytes.chunks_exact(8).map(|b| i64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])).collect();
    let mut data = Data { images, labels };
    let mut options = Options { seed: Some(5), threads: 1, ..Options::default() };
    let mut model = Model::new(&options).unwrap();
    for i in 0..24 {
        println!("loss {:08x}", data.step(&mut model, i).to_bits());
    }

    let size = BATCH * PIXELS;
    let loss = model.grad_step(&data.images[..size], &data.labels[..BATCH]).unwrap();
    println!("grad_step {:08x}", loss.to_bits());
    print_metrics("step_metrics", &model.step_metrics().unwrap());
    let loss = model.accumulate(&data.images[size..2 * size], &data.labels[BATCH..2 * BATCH]).unwrap();
    println!("accumulate {:08x}", loss.to_bits());
    println!("sync {:08x}", model.sync().unwrap().to_bits());
    println!("norm {:016x}", model.grad_norm().unwrap().to_bits());
    let mut bias = [0f32; 128];
    model.read_gradient("fc2.bias", &mut bias).unwrap();
    println!("gradient {:08x}", bias[127].to_bits());
    bias[127] = 0.5;
    model.write_gradient("fc2.bias", &bias).unwrap();
    model.set_learning_rate(0.002).unwrap();
    println!("rate {:016x}", model.learning_rate().unwrap().to_bits());
    model.apply().unwrap();
    println!("steps {}", model.step_count());
    model.read_parameter("fc2.bias", &mut bias).unwrap();
    println!("parameter {:08x}", bias[127].to_bits());
    bias[127] = 0.25;
    model.write_parameter("fc2.bias", &bias).unwrap();

    let metrics = model.eval_step(ROWS, &data.images[..ROWS * PIXELS], &data.labels[..ROWS]).unwrap();
    print_metrics("metrics", &metrics);
    data.predict(&model);

    let path = folder.join("state.safetensors");
    model.extra_write_number("\u{e9}poque", 7.25).unwrap();
    model.extra_write_text("data", "fashion, normalized").unwrap();
    model.save(&path).unwrap();
    println!("next {:08x}", data.step(&mut model, 0).to_bits());
    model.load(&path).unwrap();
    println!("again {:08x}", data.step(&mut model, 0).to_bits());
    model.set_seed(9).unwrap();
    println!("seeded {:08x}", data.step(&mut model, 1).to_bits());
    let memory = model.save_to_memory().unwrap();
    println!("bytes {}", memory.len());
    let mut other = Model::new(&options).unwrap();
    library(other.step_metrics(), Status::Unavailable, 11);
    other.load_from_memory(&memory).unwrap();
    entries(&mut other);
    data.predict(&other);
    println!("ahead {:08x}", data.step(&mut other, 2).to_bits());
    model.copy_state(&mut other).unwrap();
    data.predict(&model);
    all_at_once(&mut model, &data);
    data.predict(&model);

    let label = data.labels[3];
    data.labels[3] = 10;
    library(model.train_step(&data.images[..size], &data.labels[..BATCH]), Status::IndexOutOfRange, 5);
    data.labels[3] = label;
    library(model.set_learning_rate(-1.0), Status::InvalidArgument, 1);
    library(model.load(folder.join("missing")), Status::IoError, 3);
    options.weights_path = Some(folder.join("missing"));
    library(Model::new(&options), Status::IoError, 3);

    let images = &data.images[..size];
    let labels = &data.labels[..BATCH];
    refused(model.train_step(&images[1..], labels));
    refused(model.train_step(images, &data.labels[..BATCH + 1]));
    refused(model.predict(0, images, &mut [0.0; 10]));
    refused(model.predict(65, images, &mut [0.0; 10]));
    refused(model.predict(1, &images[..PIXELS], &mut [0.0; 9]));
    refused(model.eval_step(2, &images[..PIXELS], &labels[..2]));
    refused(model.read_parameter("fc9.bias", &mut bias));
    refused(model.read_parameter("fc2.bias", &mut [0f64; 128]));
    refused(model.write_parameter("fc2.bias", &bias[1..]));
    refused(model.write_gradient("fc2.bias", &bias[1..]));
    refused(model.save("a\0b"));
    refused(model.extra_read_number("a\0b"));
    refused(model.extra_write_text("data", "a\0b"));
    refused(model.parameters_read_all(&mut [0f32; 3], true));
    refused(model.gradients_write_all(&[0f32; 3]));
    refused(model.train_step_begin(&images[1..], labels));
    busy(&model, &images[..ROWS * PIXELS]);
    data.predict(&model);
    //wrong type: model.train_step(&[0f64; BATCH * PIXELS], labels).unwrap();
}
