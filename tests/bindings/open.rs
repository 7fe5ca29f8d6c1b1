// Sizes that the caller gives, elements of all types, and what the averages and weights of gradients add, in Rust.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
mod open;

fn main() {
    let mut model = open::Model::new(&open::Options { threads: 1, ..Default::default() }).unwrap();
    let (rows, seq) = (2, 3);
    let x: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let (wide, mask, places, pixels, scale, mut y) = ([0f64; 24], [true; 6], [0i32; 3], [255u8; 3], [2f32], [0f32; 24]);
    model.predict(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &mut y).unwrap();
    assert_eq!(x[..], y[..]); // times a half and times two
    println!("{}", model.predict(rows, 6, &x, &wide, &mask, &places, &pixels, &scale, &mut y).unwrap_err());
    println!("{}", model.predict(9, seq, &x, &wide, &mask, &places, &pixels, &scale, &mut y).unwrap_err());
    println!("{}", model.predict(rows, seq, &x, &wide, &mask[1..], &places, &pixels, &scale, &mut y).unwrap_err());
    println!("{}", model.predict(seq, rows, &x, &wide, &mask, &places, &pixels, &scale, &mut y).unwrap_err());
    println!("{}", model.use_average(true).unwrap_err());

    let target: Vec<f32> = x.iter().map(|value| value + 1.5).collect();
    let loss = model.grad_step_n(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &target).unwrap();
    assert_eq!(loss, 2.25);
    let mut weight = [0f64];
    model.read_gradient("gradient_weight", &mut weight).unwrap();
    println!("{}", model.read_parameter("gradient_weight", &mut weight).unwrap_err());
    println!("weight {}", weight[0]);
    assert_eq!(loss, model.train_step_n(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &target).unwrap());
    let mut whole = open::Model::new(&open::Options { threads: 1, ..Default::default() }).unwrap();
    whole.copy_state(&mut model).unwrap();
    let loss = whole.train_step_n(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &target).unwrap();
    model.train_step_begin_n(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &target).unwrap();
    println!("{}", model.train_step_begin_n(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &target).unwrap_err());
    while !model.train_step_continue(0).unwrap() {}
    assert_eq!(loss, model.sync().unwrap());
    model.use_average(true).unwrap();
    model.use_average(false).unwrap();
    let metrics = model.eval_step(rows, seq, &x, &wide, &mask, &places, &pixels, &scale, &x).unwrap();
    assert!(metrics.loss_sum > 0.0);
}
